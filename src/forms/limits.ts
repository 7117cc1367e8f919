/** Limits of hostile input (rule 1.8). The largest real report, 50,000 rows, is about 25 MB. */
export const MAX_SUBMISSION_BYTES = 128 * 1024 * 1024;
/** Covers and ownership documents are read as a tree; real ones stay under 1 MB. */
export const MAX_TREE_CHARS = 8 * 1024 * 1024;
export const MAX_DEPTH = 64;
export const MAX_ATTRIBUTES = 64;
export const MAX_TEXT_CHARS = 64 * 1024;
/** Of any text but footnotes, remarks and other prose: names, titles, symbols. Real ones stay under 300. */
export const MAX_FIELD_CHARS = 4_096;
export const MAX_ROWS = 200_000;
