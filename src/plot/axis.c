/* axis.c - ticks at round numbers.
 *
 * Linear      steps of 1, 2 or 5 times a power of ten. A tick is an integer M times 10^k and its label is made of the digits
 *             of M: no noise of binary fractions. Very large and very small labels share a power of ten, labels that
 *             agree in all but their last digits share a summand; both are shown once, as the axis' note.
 * Logarithm   decades, with 2 .. 9 as minor ticks; in a long range every second, fifth ... decade; in a short one the
 *             labels are 1, 2, 5, 10, and in one of less than a decade most of 1 .. 9. */
#include "plot/axis.h"

#include <math.h>
#include <stdio.h>

#define MINUS "\xe2\x88\x92"
#define TIMES "\xc3\x97"

static const double LARGEST = 1e300; /* differences of values, and their squares in pixels, stay finite */

bool ss_axis_takes(bool log, double value) { return fabs(value) <= LARGEST && (!log || value > 0); }

double ss_axis_pixel_at(const ss_axis *axis, double coordinate)
{
    return axis->p0 + (axis->p1 - axis->p0) * ((coordinate - axis->low) / (axis->high - axis->low));
}

double ss_axis_pixel(const ss_axis *axis, double value) { return ss_axis_pixel_at(axis, axis->log ? log10(value) : value); }

/* ---- range ------------------------------------------------------------------------------------- */

void ss_axis_set_range(ss_axis *axis, bool log, double low, double high, double margin)
{
    bool none = low > high;
    axis->log = log;
    axis->low = none ? 0 : log ? log10(low) : low;
    axis->high = none ? 1 : log ? log10(high) : high;
    double length = axis->high - axis->low, size = fmax(fabs(axis->low), fabs(axis->high));
    double least = log ? 0.7 : fmax(1e-13 * size, 1e-290); /* a factor of 5; 1000 times round-off */
    if (!(length > least)) {
        double half = log ? 0.5 * least : size > 1e-290 ? 0.1 * size : 1;
        double middle = axis->low + 0.5 * length;
        axis->low = middle - half;
        axis->high = middle + half;
        return;
    }
    axis->low -= margin * length;
    axis->high += margin * length;
}

/* ---- labels ------------------------------------------------------------------------------------ */

static int digits_of(int64_t m)
{
    int digits = 1;
    for (; m >= 10 || m <= -10; m /= 10) {
        digits++;
    }
    return digits;
}

static void integer_text(int value, char *text, size_t size)
{
    snprintf(text, size, "%s%d", value < 0 ? MINUS : "", value < 0 ? -value : value);
}

/* m 10^k without a power of ten, |m| < 10^18, |k| small: "0.25", "300" */
static void decimal_text(int64_t m, int k, char *text, size_t size)
{
    char digits[40];
    int n = snprintf(digits, sizeof digits, "%0*lld", k < 0 ? 1 - k : 1, (long long)(m < 0 ? -m : m));
    for (int i = 0; i < k && m != 0 && n + 1 < (int)sizeof digits; i++) {
        digits[n++] = '0';
    }
    digits[n] = '\0';
    int whole = k < 0 ? n + k : n;
    snprintf(text, size, "%s%.*s%s%s", m < 0 ? MINUS : "", whole, digits, whole < n ? "." : "", digits + whole);
}

/* are numbers whose first digit stands for 10^e written out? */
static bool is_plain(int e) { return e >= -4 && e <= 4; }

/* m 10^k in full: "500" or "1.25 x 10" ^ power */
static void number_text(int64_t m, int k, char *text, size_t size, char *power, size_t power_size)
{
    for (; m != 0 && m % 10 == 0; k++) {
        m /= 10;
    }
    int e = digits_of(m) - 1 + k;
    power[0] = '\0';
    if (m == 0 || is_plain(e)) {
        decimal_text(m, k, text, size);
        return;
    }
    char mantissa[40];
    decimal_text(m, k - e, mantissa, sizeof mantissa);
    bool one = m == 1;
    snprintf(text, size, "%s%s10", one ? "" : mantissa, one ? "" : TIMES);
    integer_text(e, power, power_size);
}

/* ---- linear ------------------------------------------------------------------------------------ */

/* the least of 1, 2 or 5 times a power of ten, 10^k, that is at least `least` */
static int round_step(double least, int *k)
{
    *k = (int)floor(log10(least));
    double lead = least / pow(10, *k);
    if (lead > 5 + 1e-9) {
        ++*k;
        return 1;
    }
    return lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : 5;
}

/* a round number amid the labels first .. last (times 10^k) that all of them share, if they have too many digits */
static int64_t common_summand(int64_t first, int64_t last)
{
    int64_t unit = 1, middle = first + (last - first) / 2;
    while (unit < last - first) {
        unit *= 10;
    }
    bool same_sign = (first > 0) == (last > 0) && first != 0 && last != 0;
    bool is_long = digits_of(middle) > 5 && digits_of(middle) - digits_of(unit) > 1;
    return same_sign && is_long ? (middle + (middle > 0 ? unit : -unit) / 2) / unit * unit : 0;
}

/* "+ 500", "+ 1.00000025e7" */
static void summand_text(ss_axis *axis, int64_t summand, int k)
{
    char text[32], power[16], e[16] = "";
    number_text(summand < 0 ? -summand : summand, k, text, sizeof text, power, sizeof power);
    if (power[0]) { /* the superscript is taken by the factor: the E notation is clear enough here */
        int exponent = digits_of(summand) - 1 + k;
        for (; summand % 10 == 0; k++) {
            summand /= 10;
        }
        decimal_text(summand < 0 ? -summand : summand, k - exponent, text, sizeof text);
        snprintf(e, sizeof e, "e%d", exponent);
    }
    snprintf(axis->plus, sizeof axis->plus, "%s %s%s", summand < 0 ? MINUS : "+", text, e);
}

static void linear_ticks(ss_axis *axis, int wanted)
{
    int k, lead = round_step((axis->high - axis->low) / wanted, &k);
    double unit = pow(10, k);
    int64_t first = (int64_t)ceil(axis->low / (lead * unit) - 1e-6), last = (int64_t)floor(axis->high / (lead * unit) + 1e-6);
    int64_t summand = common_summand(first * lead, last * lead);
    int d0 = digits_of(first * lead - summand), d1 = digits_of(last * lead - summand), e = (d0 > d1 ? d0 : d1) - 1 + k;
    int factor = is_plain(e) ? 0 : e;
    for (int64_t i = first; i <= last && axis->ticks < SS_TICKS; i++) {
        ss_tick *tick = &axis->tick[axis->ticks++];
        *tick = (ss_tick){ .at = (double)(i * lead) * unit, .major = true };
        decimal_text(i * lead - summand, k - factor, tick->text, sizeof tick->text);
    }
    if (factor != 0) {
        snprintf(axis->note.text, sizeof axis->note.text, TIMES "10");
        integer_text(factor, axis->note.power, sizeof axis->note.power);
    }
    if (summand != 0) {
        summand_text(axis, summand, k);
    }
}

/* ---- logarithmic ------------------------------------------------------------------------------- */

static void add_log_tick(ss_axis *axis, int lead, int decade, bool labelled, bool short_range)
{
    double at = decade + log10(lead);
    if (at < axis->low - 1e-9 || at > axis->high + 1e-9 || axis->ticks == SS_TICKS) {
        return;
    }
    ss_tick *tick = &axis->tick[axis->ticks++];
    *tick = (ss_tick){ .at = at, .major = labelled };
    if (labelled && short_range) {
        number_text(lead, decade, tick->text, sizeof tick->text, tick->power, sizeof tick->power);
    } else if (labelled) {
        snprintf(tick->text, sizeof tick->text, "10");
        integer_text(decade, tick->power, sizeof tick->power);
    }
}

static void log_ticks(ss_axis *axis, int wanted)
{
    int first = (int)floor(axis->low), last = (int)floor(axis->high), k;
    int stride = round_step(fmax((axis->high - axis->low) / wanted, 1), &k);
    for (int i = 0; i < k; i++) {
        stride *= 10;
    }
    bool is_short = floor(axis->high + 1e-9) - ceil(axis->low - 1e-9) < 1.5; /* at most two decades inside */
    bool within_decade = axis->high - axis->low < 1;
    int between = stride > 10 ? stride / 5 : 1;
    for (int decade = first; decade <= last; decade++) {
        bool on_stride = decade % stride == 0;
        if (on_stride || decade % between == 0) {
            add_log_tick(axis, 1, decade, on_stride, is_short);
        }
        for (int lead = 2; lead < 10 && stride == 1; lead++) {
            bool labelled = is_short && (lead == 2 || lead == 5 || (within_decade && lead != 7 && lead != 9));
            add_log_tick(axis, lead, decade, labelled, is_short);
        }
    }
}

void ss_axis_set_ticks(ss_axis *axis, int wanted)
{
    axis->ticks = 0;
    axis->note = (ss_tick){ 0 };
    axis->plus[0] = '\0';
    if (axis->log) {
        log_ticks(axis, wanted);
    } else {
        linear_ticks(axis, wanted);
    }
}
