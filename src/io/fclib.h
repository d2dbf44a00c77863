/* fclib.h - what the writer and the reader of FCLIB files agree on beyond FCLIB itself. */
#ifndef SS_FCLIB_H
#define SS_FCLIB_H

/* slipstick/kind of our own files */
typedef enum ss_fclib_form { SS_FCLIB_BLOCKS, SS_FCLIB_SYMMETRIC, SS_FCLIB_GENERAL, SS_FCLIB_LOCAL } ss_fclib_form;

#endif
