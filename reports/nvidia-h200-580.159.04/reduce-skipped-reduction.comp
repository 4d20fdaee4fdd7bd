#version 460
// SPDX-License-Identifier: Apache-2.0
// A reduction in a branch of one subgroup, with 24 bounds-checked loads before it and 200 others that are
// live across it: what litmus reduce began with (reduce-skipped-reduction.txt).
#extension GL_KHR_shader_subgroup_arithmetic:require
#extension GL_KHR_shader_subgroup_ballot:require
#extension GL_KHR_shader_subgroup_vote:require
#extension GL_EXT_control_flow_attributes:require
layout(local_size_x_id=0) in;
layout(set=0,binding=0) readonly buffer A{uint a[];};
layout(set=0,binding=2) volatile buffer W{uint ws[];};
layout(set=0,binding=1) coherent buffer B{uint b[];};
layout(push_constant) uniform P{uint unused,zero;};
shared uint before;
void main(){
  uint wg=gl_WorkGroupSize.x, lid=gl_SubgroupID*gl_SubgroupSize+gl_SubgroupInvocationID, count=gl_NumWorkGroups.x*wg;
  uint idx=gl_WorkGroupID.x*wg+lid; uint x=a[idx]; uint inc=subgroupInclusiveAdd(x);
  uint w[200];
  [[unroll]] for(int k=0;k<200;k++) w[k]=ws[(idx*7u+uint(k)*13u)%count];
  uint v[24];
  [[unroll]] for(int k=0;k<24;k++) { uint at=idx+uint(k)*32u+1u; v[k]= at<count ? a[at] : 0u; }
  uint total=0;
  [[unroll]] for(int k=0;k<24;k++) total+=v[k]*uint(2*k+1);
  if(gl_SubgroupID==0) { uint s=subgroupAdd(x); if(subgroupElect()) before=s; }
  barrier();
  uint top=subgroupBroadcast(inc,31), got=gl_SubgroupID==0 ? before-top : 0u, check=0;
  [[unroll]] for(int k=0;k<24;k++) { uint at=idx+uint(k)*32u+1u; if(at<count && v[k]!=a[at]+zero) check++; }
  uint more=0;
  [[unroll]] for(int k=0;k<200;k++) { more=(more<<3^more>>5)+w[k]; b[count+idx*200u+uint(k)]=more; }
  b[idx]=inc+got+(total==0x7fffffffu?zero:0u)+check;
}
