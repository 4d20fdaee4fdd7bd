// SPDX-License-Identifier: Apache-2.0
// The instructions that decode.c knows. Bits that nvdisasm does not look at are named by %any, so
// that what it does look at and this table does not know cannot be overlooked.

#include "isa/decode_table.h"

#define X           "{74:1 - .X}"
#define HI          "{80:1 - .HI}"
#define FTZ         "{80:1 - .FTZ}"
#define SAT         "{77:1 - .SAT}"
#define ROUND       "{78:2 - .RM .RP .RZ}"
#define TO_INTEGER  "{78:2 - .FLOOR .CEIL .TRUNC}"
#define U32         "{73:1 .U32 -}"
#define BOOLEAN     "{74:2 .AND .OR .XOR}"
#define COMPARE     "{76:3 .F .LT .EQ .LE .GT .NE .GE .T}"
#define COMPARE_F   "{76:4 .F .LT .EQ .LE .GT .NE .GE .NUM .NAN .LTU .EQU .LEU .GTU .NEU .GEU .T}"
#define COMPARE_D   "{76:4 .MIN .LT .EQ .LE .GT .NE .GE .NUM .NAN .LTU .EQU .LEU .GTU .NEU .GEU .MAX}"
#define HALF_A      "{74:2 - ? .H0_H0 .H1_H1}"
#define HALF_B      "{60:2 - ? .H0_H0 .H1_H1}"
#define CARRY_OUT   "<81:3!7 , %p81>"
#define CARRY_OUT_2 "<84:3!7 , %p84>"
// The predicate that most of what decides convergence has beside its guard.
#define ALSO_IF     "<87:4!7 %q87, >"
#define ALSO_IF_END "<87:4!7  %q87>"
// Memory
#define E        "{72:1 - .E}"
#define SIZE     "{73:3 .U8 .S8 .U16 .S16 - .64 .128}"
#define CACHE    "{84:3 .EF - .EL .LU .EU .NA}"
#define PREFETCH "{68:2 - .LTC64B .LTC128B .LTC256B}"
#define ORDER_REST                                                                                 \
    " .STRONG.SM .STRONG.GPU.PRIVATE .STRONG.GPU .MMIO.GPU .CONSTANT.SM .STRONG.SYS"               \
    " .CONSTANT.SM.PRIVATE .MMIO.SYS .CONSTANT.VC .CONSTANT.VC.PRIVATE .CONSTANT.GPU}"
#define ORDER                                                                                      \
    "{77:4 - .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE"                                \
    " .STRONG.SM.PRIVATE" ORDER_REST
#define ORDER_LOAD                                                                                 \
    "{77:4 - .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE .CONSTANT" ORDER_REST
#define ATOMIC    "{87:4 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR .EXCH}"
#define REDUCTION "{87:3 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR}"
#define ATOMIC_OF "{73:3 - .S32 .64 .S64}"
#define SWAP_OF   "{73:3 - .S32 .64 ? .128}"

const struct sass_row sass_rows[] = {
    // Cross-lane reads
    {0x189, FORM(1), "SHFL{58:2 .IDX .UP .DOWN .BFLY} %p81, %r16, %r24, %r32, %r64"},
    {0x189, FORM(2), "SHFL{58:2 .IDX .UP .DOWN .BFLY} %p81, %r16, %r24, %r32, %n40:13"},
    {0x189, FORM(4), "SHFL{58:2 .IDX .UP .DOWN .BFLY} %p81, %r16, %r24, %n53:5, %r64"},
    {0x189, FORM(7), "SHFL{58:2 .IDX .UP .DOWN .BFLY} %p81, %r16, %r24, %n53:5, %n40:13"},
    {0x006, FORM(4), "VOTE{72:2 .ALL .ANY .EQ} <16:8!255 %r16, >%p81, %q87"},
    {0x086, FORM(4), "VOTEU{72:2 .ALL .ANY .EQ} <16:6!63 %w16, >%v81, %q87"},
    {0x1a1, FORM(1), "MATCH{79:1 .ALL ?}{73:1 - .U64} %p81, %r16, %r24"},
    {0x1a1, FORM(1), "MATCH{79:1 ? .ANY}{73:1 - .U64} %r16, %r24%any81:3"},
    {0x1c4, FORM(1), "REDUX{78:3 - .OR .XOR .SUM .MIN .MAX}{73:1 - .S32} %w16, %r24"},
    // Convergence
    {0x148, FORM(1), "WARPSYNC{85:1 - .EXCLUSIVE}{86:1 - ?} " ALSO_IF "%r24"},
    {0x148, FORM(1), "WARPSYNC{86:1 ? .COLLECTIVE} " ALSO_IF "%r24, %far"},
    {0x148, FORM(4), "WARPSYNC{86:1 .ALL ?}" ALSO_IF_END},
    {0x148, FORM(4), "WARPSYNC{86:1 ? .COLLECTIVE}.ALL " ALSO_IF "%far"},
    {0x145, FORM(4), "BSSY " ALSO_IF "%barrier16, %near"},
    {0x141, FORM(4), "BSYNC " ALSO_IF "%barrier16"},
    {0x142, FORM(4), "BREAK " ALSO_IF "%barrier16"},
    {0x155, FORM(1), "BMOV.32{84:1 - .CLEAR} %r16, %barrier24"},
    {0x156, FORM(1), "BMOV.32{84:1 - .PQUAD} %barrier24, %r32"},
    {0x156, FORM(4), "BMOV.32{84:1 - .PQUAD} %barrier24, %n32:32"},
    {0x156, FORM(7), "BMOV.32{84:1 - .PQUAD} %barrier24, %barrier16"},
    {0x146, FORM(4), "YIELD" ALSO_IF_END},
    {0x15d, FORMS_1456, "NANOSLEEP{86:1 - .RAND}{85:1 - .WARP}{84:1 - .SYNCS} " ALSO_IF "%b"},
    {0x1c5, FORM(4), "WARPGROUP{79:2 .ARRIVE}"},
    // Control flow
    {0x147, FORM(4), "BRA{85:2 - .INC .DEC}{32:2 ? ? .DIV .CONV} " ALSO_IF "%~w24, %far"},
    {0x147, FORM(4), "BRA{85:2 - .INC .DEC}{32:2 - .U .DIV .CONV} " ALSO_IF "%far%any24:8"},
    {0x147, FORM(2), "BRA{85:2 - .INC .DEC}{32:2 ? .U}{84:1 - .ANY} " ALSO_IF "%z24, %far%uniform"},
    {0x149, FORM(4), "BRX{85:2 - .INC .DEC} " ALSO_IF "%r24%offset"},
    {0x158, FORM(4), "BRXU{85:2 - .INC .DEC} " ALSO_IF "%w24%offset"},
    {0x14a, FORM(4), "JMP{85:2 - .INC .DEC}{32:2 - .U .DIV .CONV} " ALSO_IF "%absolute%any24:8"},
    {0x14c, FORM(4), "JMX{85:2 - .INC .DEC} " ALSO_IF "%r24%offset"},
    {0x143, FORM(1), "CALL.ABS{86:1 - .NOINC} " ALSO_IF "%r24%offset"},
    {0x143, FORM(4), "CALL.ABS{86:1 - .NOINC} " ALSO_IF "%absolute%any24:8"},
    {0x144, FORM(1), "CALL.REL{86:1 - .NOINC} " ALSO_IF "%r24 %far"},
    {0x144, FORM(4), "CALL.REL{86:1 - .NOINC} " ALSO_IF "%w24 %far"},
    {0x144, FORM(4), "CALL.REL{86:1 - .NOINC} " ALSO_IF "%far%any24:8"},
    {0x150, FORM(4), "RET{85:1 .REL ?}{86:1 - .NODEC} " ALSO_IF "%r24 %far"},
    {0x150, FORM(4), "RET{85:1 .REL ?}{86:1 - .NODEC} " ALSO_IF "%w24 %far"},
    {0x150, FORM(4), "RET{85:1 ? .ABS}{86:1 - .NODEC} " ALSO_IF "%r24 %signed"},
    {0x14d, FORM(4), "EXIT{84:2 - .KEEPREFCOUNT .PREEMPTED}{86:1 - .NO_ATEXIT}" ALSO_IF_END},
    {0x15b, FORM(4), "KILL" ALSO_IF_END},
    // Barriers
    {0x11d, FORM(5),
     "BAR{77:3 .SYNC}{80:1 - .DEFER_BLOCKING} %n54:4<42:12!0 , %n42:12>%any74:2%any87:4"},
    {0x11d, FORM(5), "BAR{77:3 ? .ARV} %n54:4, %n42:12%any74:2%any80:1%any87:4"},
    {0x11d, FORM(5),
     "BAR{77:3 ? ? .RED}{74:2 .POPC .AND .OR}{80:1 - .DEFER_BLOCKING} %n54:4<42:12!0 , %n42:12>"
     ", %q87"},
    {0x11d, FORM(4), "BAR{77:3 .SYNC .ARV}{80:1 - .DEFER_BLOCKING} %n54:4, %r32"},
    {0x11d, FORM(2), "BAR{77:3 .SYNC}{80:1 - .DEFER_BLOCKING} %r32<42:12!0 , %n42:12>"},
    {0x11d, FORM(1), "BAR{77:3 .SYNC .ARV}{80:1 - .DEFER_BLOCKING} %r32, %r32"},
    {0x11a, FORM(4), "DEPBAR{47:1 ? .LE} SB{44:3 0 1 2 3 4 5}, %n38:6<32:6!0 , %scoreboards32>"},
    {0x11a, FORM(4), "DEPBAR{47:1 - ?}<32:6!0  %scoreboards32>%any38:9"},
    {0x1c7, FORM(4), "UCGABAR_ARV%uniform"},
    {0x1c7, FORM(6), "UCGABAR_WAIT%uniform"},
    {0x192, FORM(4), "MEMBAR{79:2 .SC .ALL - .MMIO}{76:3 .CTA .SM .GPU .SYS ? .VC .CTA.PARTIAL}"},
    {0x1ab, FORM(4), "ERRBAR"},
    {0x1ab, FORM(2), "CGAERRBAR"},
    {0x1c6, FORM(1), "FENCE.VIEW.ASYNC{72:1 .S .G}"},
    {0x1af, FORM(4), "LDGDEPBAR"},
    {0x18f, FORM(4),
     "CCTL{78:2 - .U .C .I}{87:4 ? ? ? ? .IVALL ? .IVALLP .WBALL .WBALLP}<24:8=255 >"},
    {0x18f, FORM(4),
     "CCTL" E "{78:2 - .U .C .I}{87:4 .PF1 .PF2 .WB .IV ? .RS ? ? ? .PML2 .DML2 .RML2} %wide"},
    {0x190, FORM(4), "CCTLL{87:4 ? ? ? ? .IVALL}%any24:8"},
    {0x190, FORM(4), "CCTLL{87:4 .PF1 .PF2 .WB .IV ? .RS} %plain"},
    {0x191, FORM(1), "CCTLT{85:2 ? ? .IVALL}%any24:8%any32:8"},
    // Memory
    {0x181, FORM(1) | FORM(4),
     "LDG" E CACHE PREFETCH SIZE ORDER_LOAD " <81:3!7 %p81, >%r16, %load<64:4!0 , %i64>"},
    {0x180, FORM(4), "LD" E CACHE PREFETCH SIZE ORDER_LOAD " %r16, %wide<64:4!0 , %i64>%any81:3"},
    {0x180, FORM(4), "LD" E CACHE PREFETCH SIZE ORDER_LOAD " %r16, %load<64:4!0 , %i64>%any81:3"},
    {0x186, FORM(1) | FORM(4), "STG" E CACHE SIZE ORDER " %store, %r32%any81:3"},
    {0x185, FORM(1), "ST" E CACHE SIZE ORDER " %wide, %r64%any81:3"},
    {0x185, FORM(4), "ST" E CACHE SIZE ORDER " %store, %r32%any81:3"},
    {0x184, FORM(4), "LDS" SIZE " %r16, %shared"},
    {0x188, FORM(1) | FORM(4), "STS" SIZE " %share, %r32"},
    {0x183, FORM(4), "LDL" CACHE SIZE " %r16, %local"},
    {0x187, FORM(1), "STL" CACHE SIZE " %local, %r32"},
    {0x187, FORM(4), "STL" CACHE SIZE " %spill, %r32"},
    {0x1a8, FORM(1) | FORM(4), "ATOMG" E ATOMIC CACHE ATOMIC_OF ORDER " %p81, %r16, %swap, %r32"},
    {0x18a, FORM(1) | FORM(4), "ATOM" E ATOMIC CACHE ATOMIC_OF ORDER " %p81, %r16, %swap, %r32"},
    {0x1a9, FORM(1),
     "ATOMG" E ".CAS" CACHE SWAP_OF ORDER " %p81, %r16, %plain, %r32, %r64%any87:4"},
    {0x18b, FORM(1),
     "ATOM" E ".CAS" CACHE SWAP_OF ORDER " %p81, %r16, %plain, %r32, %r64{87:1 - ?}%any88:3"},
    {0x18c, FORM(1) | FORM(4), "ATOMS" ATOMIC "{73:3 - .S32 .64} %r16, %share, %r32"},
    {0x18d, FORM(1),
     "ATOMS{87:2 .CAS .CAST .CAS .CAST.SPIN}{73:3 - .S32 .64} %r16, %share, "
     "%r32, %r64"},
    {0x18e, FORM(4), "REDG" E REDUCTION CACHE ATOMIC_OF ORDER " %store, %r32"},
    {0x0b9, FORM(5), "ULDC{73:3 .U8 .S8 .U16 .S16 - .64} %d, %constant24"},
    {0x182, FORM(5), "LDC{73:3 .U8 .S8 .U16 .S16 - .64}{78:2 - .IL .IS .ISL} %r16, %indexed"},
    // From and to other kinds of registers
    {0x119, FORM(4), "S2R %r16, %special72"},
    {0x1c3, FORM(4), "@S2UR %w16, %special72"},
    {0x0ca, FORM(1), "R2UR{84:1 - ?} <81:3!7 %p81, >%w16, %r24"},
    {0x0ca, FORM(1), "R2UR{84:1 ? .OR} %p81, %w16, %r24"},
    {0x005, FORM(4), "CS2R{80:1 .32 -} %r16, %special72"},
    {0x003, FORMS_1456, "P2R{76:2 - .B1 .B2 .B3} %d, PR, %a, %b"},
    {0x004, FORM(4), "R2P PR, %a{76:2 - .B1 .B2 .B3}<32:32!255 , %n32:32>"},
    {0x004, FORM(1) | FORM(5) | FORM(6), "R2P PR, %a{76:2 - .B1 .B2 .B3}, %b"},
    // Arithmetic of integers
    {0x010, FORMS_1456,
     "IADD3" X " %d" CARRY_OUT CARRY_OUT_2 ", %^a, %^Ib, %^c<74:1=1 , %q87, "
     "%q77>"},
    {0x024, FORMS_ALL, "IMAD%imad" U32 X " %d, %a, %Ib, %^Ic<74:1=1 , %q87>%any81:3"},
    {0x025, FORMS_ALL, "IMAD.WIDE" U32 X " %d" CARRY_OUT ", %a, %Ib, %^Ic<74:1=1 , %q87>"},
    {0x027, FORMS_ALL, "IMAD.HI" U32 X " %d" CARRY_OUT ", %a, %Ib, %^Ic<74:1=1 , %q87>"},
    {0x011, FORMS_1456,
     "LEA" HI X "<80:1=1 {73:1 - .SX32}> %d" CARRY_OUT
     ", %^a, %^b<80:1=1 <73:1=0 , %c>>, %n75:5<74:1=1 , %q87>"},
    {0x012, FORMS_1456, "LOP3.LUT{80:1 - .PAND} <81:3!7 %p81, >%d, %a, %b, %c, %n72:8, %q87"},
    {0x00c, FORMS_1456,
     "ISETP" COMPARE U32 BOOLEAN "{72:1 - .EX} %p81, %p84, %a, %Ib, %q87"
     "<72:1=1 , %q68>"},
    {0x01c, FORM(4), "PLOP3.LUT %p81, %p84, %q87, %q77, %q68{67:1 - ?}, %lut, %n16:8"},
    {0x01c, FORM(4), "PLOP3.LUT %p81, %p84, %q87, %q77, %z68{67:1 ? -}, %lut, %n16:8"},
    {0x002, FORMS_1456, "MOV %d, %b<72:4!15 , %n72:4>"},
    {0x007, FORMS_1456, "SEL %d, %a, %b, %q87"},
    {0x013, FORMS_1456, "IABS %d, %b"},
    {0x016, FORMS_ALL, "PRMT{72:3 - .F4E .B4E .RC8 .ECL .ECR .RC16} %d, %a, %b, %c"},
    {0x017, FORMS_1456, "IMNMX{73:1 .U32 -} %d, %a, %Ib, %q87"},
    {0x019, FORMS_ALL, "SHF{76:1 .L .R}{75:1 - .W}{73:2 .S64 .U64 .S32 .U32}" HI " %d, %a, %b, %c"},
    {0x01a, FORMS_1456, "SGXT{75:1 - .W}" U32 " %d, %a, %b"},
    {0x01b, FORMS_1456, "BMSK{75:1 - .W} %d, %a, %b"},
    {0x036, FORMS_1456, "VIADD %d, %a, %b"},
    {0x048, FORMS_1456, "VIMNMX{72:1 .U32 -} %d, %a, %Ib, %q87<81:6=63 >"},
    {0x00f, FORM(4), "VIMNMX3{72:2 .U32} %d, %a, %b, %c, %q87"},
    {0x100, FORMS_1456, "FLO" U32 "{74:1 - .SH} %d" CARRY_OUT ", %~b"},
    {0x101, FORMS_1456, "BREV %d, %b"},
    {0x109, FORMS_1456, "POPC %d, %~b"},
    // The uniform datapath
    {0x090, FORM(1) | FORM(4),
     "UIADD3" X " %d" CARRY_OUT CARRY_OUT_2 ", %^a, %^Ib, %^c<74:1=1 , %q87, %q77>"},
    {0x0a4, FORM(1) | FORM(2) | FORM(4), "UIMAD" U32 X " %d, %a, %Ib, %^Ic<74:1=1 , %q87>%any81:3"},
    {0x0a5, FORM(1) | FORM(4), "UIMAD.WIDE" U32 X " %d" CARRY_OUT ", %a, %Ib, %^Ic<74:1=1 , %q87>"},
    {0x091, FORM(1) | FORM(4),
     "ULEA" HI X "<80:1=1 {73:1 - .SX32}> %d" CARRY_OUT
     ", %^a, %^b<80:1=1 <73:1=0 , %c>>, %n75:5<74:1=1 , %q87>"},
    {0x092, FORM(1) | FORM(4),
     "ULOP3.LUT{80:1 - .PAND} <81:3!7 %p81, >%d, %a, %b, %c, %n72:8, %q87"},
    {0x08c, FORM(1) | FORM(4),
     "UISETP" COMPARE U32 BOOLEAN "{72:1 - .EX} %p81, %p84, %a, %Ib, %q87<72:1=1 , %q68>"},
    {0x09c, FORM(4), "UPLOP3.LUT %p81, %p84, %q87, %q77, %q68, %lut, %n16:8"},
    {0x082, FORM(4) | FORM(6), "UMOV %d, %b"},
    {0x083, FORM(4), "UP2UR{76:2 - ? ? ?} %d, UPR, %a, %b"},
    {0x087, FORM(1) | FORM(4), "USEL %d, %a, %b, %q87"},
    {0x096, FORM(1) | FORM(4), "UPRMT %d, %a, %b, %c"},
    {0x099, FORM(1) | FORM(2) | FORM(4),
     "USHF{76:1 .L .R}{75:1 - .W}{73:2 .S64 .U64 .S32 .U32}" HI " %d, %a, %b, %c"},
    {0x09a, FORM(1) | FORM(4), "USGXT{75:1 - .W}" U32 " %d, %a, %b"},
    {0x0bd, FORM(1), "UFLO" U32 "{74:1 - .SH} %d" CARRY_OUT ", %~b"},
    {0x0be, FORM(1), "UBREV %d, %b"},
    {0x0bf, FORM(1), "UPOPC %d, %~b"},
    // Arithmetic of floats
    {0x021, FORMS_1237, "FADD" FTZ ROUND SAT " %d, %|a, %|Fx"},
    {0x020, FORMS_1456,
     "FMUL" FTZ "{76:1 - ?}{84:3 ? .D8 .D4 .D2 - .M2 .M4 .M8}" ROUND SAT " %d, %|a, %|Fb"},
    {0x023, FORMS_ALL, "FFMA" FTZ "{76:1 - ?}" ROUND SAT " %d, %|a, %|Fb, %|Fc"},
    {0x008, FORMS_1456, "FSEL" FTZ " %d, %|a, %|Fb, %q87"},
    {0x009, FORMS_1456, "FMNMX" FTZ "{81:1 - .NAN}{82:1 - .XORSIGN} %d, %|a, %|Fb, %q87"},
    {0x00b, FORMS_1456, "FSETP" COMPARE_F FTZ BOOLEAN " %p81, %p84, %|a, %|Fb, %q87"},
    {0x102, FORMS_1456, "FCHK %p81, %|a, %|Fb"},
    {0x108, FORMS_156,
     "MUFU{74:4 .COS .SIN .EX2 .LG2 .RCP .RSQ .RCP64H .RSQ64H .SQRT .TANH}"
     "{72:2 - .F16 .BF16} %d, %|Fb"},
    {0x028, FORMS_1456, "DMUL" ROUND " %d, %|a, %|Db"},
    {0x029, FORMS_1237, "DADD" ROUND " %d, %|a, %|Dc"},
    {0x02b, FORMS_ALL, "DFMA" ROUND " %d, %|a, %|Db, %|Dc"},
    {0x02a, FORMS_1237, "DSETP" COMPARE_D BOOLEAN " %p81, %p84, %|a, %|Dx, %q87"},
    {0x030, FORM(1), "HADD2{85:1 - .BF16_V2}{78:1 - ?}" FTZ SAT " %d, %|a" HALF_A ", %|x" HALF_B},
    {0x030, FORM(1),
     "HADD2{85:1 - .BF16_V2}{78:1 ? .F32}" FTZ SAT " %d, %-a" HALF_A ", %|x" HALF_B},
    {0x035, FORM(2), "HFMA2.MMA" FTZ " %d, %|a, %r64, %Hx"},
    // Conversions
    {0x104, FORMS_156, "F2F" FTZ "{75:3 ? .F16 ? ? .BF16}{84:2 ? ? .F32}" ROUND " %d, %|b"},
    {0x110, FORMS_156, "F2F" FTZ "{75:3 ? ? ? .F64}{84:2 ? ? .F32}" ROUND " %d, %|b"},
    {0x110, FORMS_156, "F2F" FTZ "{75:3 ? ? .F32}{84:2 ? ? ? .F64}" ROUND " %d, %|b"},
    {0x105, FORMS_156,
     "F2I" FTZ "<72:1=0 {75:2 .U8 .U16 .U32}><72:1=1 {75:2 .S8 .S16 -}>"
     "{84:2 ? .F16 -}" TO_INTEGER "{77:1 - .NTZ} %d, %|b"},
    {0x111, FORMS_156,
     "F2I" FTZ "<72:1=0 {75:2 .U8 .U16 .U32 .U64}><72:1=1 {75:2 .S8 .S16 - .S64}>"
     "{84:2 ? .F16 - .F64}" TO_INTEGER "{77:1 - .NTZ} %d, %|b"},
    {0x106, FORMS_1456,
     "I2F{75:3 ? .F16 -}<74:1=0 {84:2 ? ? .U32}><74:1=1 {84:2 ? ? -}>" ROUND " %d, %b"},
    {0x112, FORMS_1456,
     "I2F{75:3 ? .F16 - .F64}<74:1=0 {84:2 .U8 .U16 .U32 .U64}>"
     "<74:1=1 {84:2 .S8 .S16 - .S64}>" ROUND " %d, %b"},
    {0x045, FORMS_1456, "I2FP{75:3 ? ? .F32}{74:1 .U32 .S32}{84:2 ? ? -}{78:2 - ? ? .RZ} %d, %b"},
    {0x03e, FORMS_1456, "F2FP{76:2 .F16 .BF16}.F32.PACK_AB %d, %a, %b%any64:8"},
    {0x118, FORM(4), "NOP%any32:8"},
};

const unsigned sass_row_count = sizeof sass_rows / sizeof *sass_rows;
