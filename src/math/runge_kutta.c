/* runge_kutta.c - the coefficients of nine Runge-Kutta methods, exact up to their rounding.
 *
 *        c | A        Radau IIA: collocation at the s roots of d^(s-1)/dx^(s-1) [x^(s-1) (x - 1)^s], order 2 s - 1
 *       ---+---       Lobatto IIIA: collocation at the s roots of d^(s-2)/dx^(s-2) [x^(s-1) (x - 1)^(s-1)], order 2 s - 2
 *          | b'       explicit: a_ij = 0 for j >= i; with its multipliers at every stage it is called half-explicit
 *
 * The two families have stage order s (the s conditions C(s): sum_j a_ij c_j^(k-1) = c_i^k / k) and are stiffly accurate:
 * c_s = 1 and the last row of A is b', so that the last stage is the result and constraints that the stages keep hold there.
 * Lobatto IIIA has a first row of zeros: its first stage is the start of the step.
 *
 * On a system of index 1 the multipliers are functions of t, q and v, and every method keeps the order it has for ordinary
 * differential equations. Of Dormand and Prince's seven stages the last belongs to their error estimate only; six are here.
 *
 * Reference  [HNW93 sections II.1, II.5] Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I;
 *            [HW96 section IV.5] Hairer, Wanner, Solving Ordinary Differential Equations II */
#include "math/runge_kutta.h"

/* sqrt() is no constant expression in C; more digits than a double has */
#define SQRT5 2.23606797749978969640917366873
#define SQRT6 2.44948974278317809819728407471

static const ss_runge_kutta radau_iia_3 = {
    .name = "radau_iia_3",
    .title = "Radau IIA of order 3 (Ehle, after Butcher)",
    .order = 3,
    .stages = 2,
    .c = { 1.0 / 3, 1 },
    .a = { { 5.0 / 12, -1.0 / 12 }, { 3.0 / 4, 1.0 / 4 } },
    .b = { 3.0 / 4, 1.0 / 4 },
};

static const ss_runge_kutta radau_iia_5 = {
    .name = "radau_iia_5",
    .title = "Radau IIA of order 5 (Ehle, after Butcher)",
    .order = 5,
    .stages = 3,
    .c = { (4 - SQRT6) / 10, (4 + SQRT6) / 10, 1 },
    .a = { { (88 - 7 * SQRT6) / 360, (296 - 169 * SQRT6) / 1800, (-2 + 3 * SQRT6) / 225 },
           { (296 + 169 * SQRT6) / 1800, (88 + 7 * SQRT6) / 360, (-2 - 3 * SQRT6) / 225 },
           { (16 - SQRT6) / 36, (16 + SQRT6) / 36, 1.0 / 9 } },
    .b = { (16 - SQRT6) / 36, (16 + SQRT6) / 36, 1.0 / 9 },
};

static const ss_runge_kutta lobatto_iiia_2 = {
    .name = "lobatto_iiia_2",
    .title = "Lobatto IIIA of order 2, the trapezoidal rule (Ehle)",
    .order = 2,
    .stages = 2,
    .c = { 0, 1 },
    .a = { { 0 }, { 1.0 / 2, 1.0 / 2 } },
    .b = { 1.0 / 2, 1.0 / 2 },
};

static const ss_runge_kutta lobatto_iiia_4 = {
    .name = "lobatto_iiia_4",
    .title = "Lobatto IIIA of order 4 (Ehle)",
    .order = 4,
    .stages = 3,
    .c = { 0, 1.0 / 2, 1 },
    .a = { { 0 }, { 5.0 / 24, 1.0 / 3, -1.0 / 24 }, { 1.0 / 6, 2.0 / 3, 1.0 / 6 } },
    .b = { 1.0 / 6, 2.0 / 3, 1.0 / 6 },
};

static const ss_runge_kutta lobatto_iiia_6 = {
    .name = "lobatto_iiia_6",
    .title = "Lobatto IIIA of order 6 (Ehle)",
    .order = 6,
    .stages = 4,
    .c = { 0, (5 - SQRT5) / 10, (5 + SQRT5) / 10, 1 },
    .a = { { 0 },
           { (11 + SQRT5) / 120, (25 - SQRT5) / 120, (25 - 13 * SQRT5) / 120, (-1 + SQRT5) / 120 },
           { (11 - SQRT5) / 120, (25 + 13 * SQRT5) / 120, (25 + SQRT5) / 120, (-1 - SQRT5) / 120 },
           { 1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12 } },
    .b = { 1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12 },
};

static const ss_runge_kutta half_explicit_heun_2 = {
    .name = "half_explicit_heun_2",
    .title = "half-explicit, of order 2 (Heun)",
    .order = 2,
    .stages = 2,
    .half_explicit = true,
    .c = { 0, 1 },
    .a = { { 0 }, { 1 } },
    .b = { 1.0 / 2, 1.0 / 2 },
};

static const ss_runge_kutta half_explicit_heun_3 = {
    .name = "half_explicit_heun_3",
    .title = "half-explicit, of order 3 (Heun)",
    .order = 3,
    .stages = 3,
    .half_explicit = true,
    .c = { 0, 1.0 / 3, 2.0 / 3 },
    .a = { { 0 }, { 1.0 / 3 }, { 0, 2.0 / 3 } },
    .b = { 1.0 / 4, 0, 3.0 / 4 },
};

static const ss_runge_kutta half_explicit_kutta_4 = {
    .name = "half_explicit_kutta_4",
    .title = "half-explicit, of order 4, the classical method (Kutta)",
    .order = 4,
    .stages = 4,
    .half_explicit = true,
    .c = { 0, 1.0 / 2, 1.0 / 2, 1 },
    .a = { { 0 }, { 1.0 / 2 }, { 0, 1.0 / 2 }, { 0, 0, 1 } },
    .b = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 },
};

static const ss_runge_kutta half_explicit_dormand_prince_5 = {
    .name = "half_explicit_dormand_prince_5",
    .title = "half-explicit, of order 5 (Dormand and Prince)",
    .order = 5,
    .stages = 6,
    .half_explicit = true,
    .c = { 0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1 },
    .a = { { 0 },
           { 1.0 / 5 },
           { 3.0 / 40, 9.0 / 40 },
           { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
           { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
           { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 } },
    .b = { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 },
};

const ss_runge_kutta *const ss_runge_kutta_methods[] = {
    &radau_iia_3,
    &radau_iia_5,
    &lobatto_iiia_2,
    &lobatto_iiia_4,
    &lobatto_iiia_6,
    &half_explicit_heun_2,
    &half_explicit_heun_3,
    &half_explicit_kutta_4,
    &half_explicit_dormand_prince_5,
    NULL,
};
