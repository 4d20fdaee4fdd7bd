// SPDX-License-Identifier: Apache-2.0
// Student's distribution by the incomplete beta function.
#include "stats/student.h"

#include "stats/beta.h"
#include "stats/density.h"

#include <math.h>

double stat_student(double p, double degrees)
{
    if (p > 0.5)
        return 1 - stat_student(1 - p, degrees);
    double z = stat_normal_quantile(fmax(p, 1e-300));
    return stat_beta(degrees / 2, 0.5, degrees / (degrees + z * z)) / 2;
}
