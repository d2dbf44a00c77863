/* fclib.h - what the writer and the reader of FCLIB files agree on beyond FCLIB itself. */
#ifndef SS_FCLIB_H
#define SS_FCLIB_H

/* the form of A, stored as the number slipstick/kind in files that slipstick wrote */
typedef enum ss_fclib_form { SS_FCLIB_BLOCKS, SS_FCLIB_SYMMETRIC, SS_FCLIB_GENERAL, SS_FCLIB_LOCAL } ss_fclib_form;

#endif
