// SPDX-License-Identifier: Apache-2.0
// Evidence where the spread itself was only estimated. Pure function; docs/gating-statistics.md.
#pragma once

// The one-sided p value p of a test that takes its spread as known, for a spread that was estimated
// with so many degrees of freedom: as much evidence in standard deviations, by Student's
// distribution in place of the normal one. 0 <= p <= 1; p below 1e-300 is taken as that. degrees >
// 0.
double stat_student(double p, double degrees);
