/* section.c - what an element of a bar or a beam is made of, from its material and its rectangular section.
 *
 *     section   A = h w,   I_2 = A w^2/12 about the second axis (along the height h),   I_3 = A h^2/12 about the third
 *     element   EA,   GA = (5/6) G A,   EI = (G J, E I_2, E I_3),   G = E / (2 (1 + nu))
 *               m = rho A L,   inertia rho L (I_2 + I_3, I_2, I_3)
 *
 * In 2D the width w is 1, and bending about the third axis is all there is.
 * Torsion     J of a rectangle a >= b is a series (Saint-Venant) in which all but a few terms are known:
 *
 *     J = a b^3 (1/3 - (64/pi^5) (b/a) (S - sum over odd n of 2/((1 + e^(n pi a/b)) n^5))),    S = sum over odd n of 1/n^5
 *
 * Reference   S. P. Timoshenko, J. N. Goodier, Theory of elasticity, section 109; 5/6: E. Reissner 1945, for rectangles
 * Cost        a few exponentials for a flexible body */
#include "model/elements.h"

#define SHEAR_FACTOR (5.0 / 6)
#define ODD_SUM      1.0045237627951382 /* S = (31/32) zeta(5) */

/* J of a rectangle; terms fall by e^(2 pi) at least, so that those left out are below round-off */
static double torsion(double height, double width)
{
    const double pi = acos(-1), a = fmax(height, width), b = fmin(height, width);
    double sum = ODD_SUM;
    for (int n = 1; n < 12; n += 2) {
        sum -= 2 / ((1 + exp(n * pi * a / b)) * pow(n, 5));
    }
    return a * b * b * b * (1.0 / 3 - 64 / pow(pi, 5) * (b / a) * sum);
}

ss_element ss_section_element(const ss_elements_desc *d, int dimension)
{
    const double height = d->size[1], width = dimension == 3 ? d->size[2] : 1, A = height * width;
    const double G = d->E / (2 * (1 + d->nu)), I3 = A * height * height / 12;
    const double I2 = dimension == 3 ? A * width * width / 12 : 0, J = dimension == 3 ? torsion(height, width) : 0;
    const double length = d->size[0] / d->divisions, line = d->density * length;
    return (ss_element){ .EA = d->E * A,
                         .GA = SHEAR_FACTOR * A * d->E / (2 * (1 + d->nu)),
                         .EI = { G * J, d->E * I2, d->E * I3 },
                         .mass = d->density * A * length,
                         .inertia = { line * (I2 + I3), line * I2, d->density * I3 * length },
                         .mass_damping = d->mass_damping };
}
