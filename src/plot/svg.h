/* svg.h - the text of an SVG file while it is made: numbers, escaped texts, one sticky status. */
#ifndef SS_SVG_H
#define SS_SVG_H

#include "base/base.h"

typedef struct ss_svg {
    ss_context *ctx;
    char *text;
    int used, capacity;
    ss_status status; /* of the first failure; what follows does nothing */
} ss_svg;

/* Append the template; '~' stands for a double, to 1/100, and '$' for a text, escaped. */
void ss_svg_add(ss_svg *svg, const char *template, ...);

/* Estimated width of a text in units of its font size, for a sans-serif face. */
double ss_svg_text_width(const char *text);

#endif
