/* expr_ops.h - inside of expressions: operations, programs, and the table of names. Used by the files of expr.h only. */
#ifndef SS_EXPR_OPS_H
#define SS_EXPR_OPS_H

#include "math/expr.h"

enum { SS_EXPR_STACK = 256 }; /* operands that wait for each other; checked while compiling */

typedef enum ss_op_kind { SS_OP_NUMBER, SS_OP_TIME, SS_OP_CALL1, SS_OP_CALL2 } ss_op_kind;

/* All that is known of an operand over an interval of time: ranges of its values and of its derivative, [lo, hi], and its values
 * at the start, the middle and the end. */
typedef struct ss_span {
    double range[2], slope[2], at[3];
} ss_span;

/* One operation: its value, and its jet (value, first and second derivative). */
typedef struct ss_op ss_op;
struct ss_op {
    ss_op_kind kind;
    union {
        double number;
        double (*call1)(double);
        double (*call2)(double, double);
    };
    union {
        void (*jet1)(const double x[3], double y[3]);
        void (*jet2)(const double a[3], const double b[3], double y[3]);
    };
    double (*branch)(double a, double b); /* number of the branch that is taken; NULL: there is but one */
    /* values over ranges of its operands, b of calls with two: [lo, hi]; not finite where none is known */
    void (*range)(const ss_op *op, const double a[2], const double b[2], double y[2]);
    /* slopes over ranges of its operands and of their slopes; y has its range already */
    void (*slope)(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
    const ss_op *derivative; /* of a call with one operand whose slope is ss_rate_chain */
};

struct ss_expr {
    ss_op *code;
    int length, capacity;
    bool constant, kinked; /* kinked: some operation has branches */
};

/* Functions and constants by name. */
typedef struct ss_op_name {
    const char *name;
    ss_op code;
} ss_op_name;
enum { SS_OP_NAMES = 23 };
extern const ss_op_name ss_op_names[SS_OP_NAMES];

/* expr_range.c: ranges of operations that are monotone in each operand, or even and growing from 0 on; of sin and cos; of others
 */
void ss_range_monotone(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_even(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_wave(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_tan(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_divide(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_atan2(const ss_op *op, const double a[2], const double b[2], double y[2]);
void ss_range_power(const ss_op *op, const double a[2], const double b[2], double y[2]);

/* expr_slope.c: slopes by the chain rule with `derivative`; of operations without a slope between their jumps; of others */
void ss_rate_chain(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_flat(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_add(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_subtract(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_multiply(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_divide(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_extreme(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_atan2(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
void ss_rate_power(const ss_op *op, const ss_span *a, const ss_span *b, ss_span *y);
extern const ss_op ss_rate_of_negate, ss_rate_of_sin, ss_rate_of_cos, ss_rate_of_tan, ss_rate_of_asin, ss_rate_of_acos,
    ss_rate_of_atan, ss_rate_of_sinh, ss_rate_of_cosh, ss_rate_of_tanh, ss_rate_of_exp, ss_rate_of_log, ss_rate_of_sqrt,
    ss_rate_of_abs;

/* Operations that are written as signs. */
extern const ss_op ss_op_negate, ss_op_add, ss_op_subtract, ss_op_multiply, ss_op_divide, ss_op_power;

#endif
