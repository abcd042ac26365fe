/**
 * What the screen needs of a terminal: a page of its own, no cursor, no wrapping at the edge, and pasted text marked as such so
 * that it is not taken for keys.
 */
export const enterSequence = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J'

/** Everything back; harmless on a terminal that is as it was. Also for whoever cleans up after a screen that was killed. */
export const restoreSequence = '\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'

/** Terminals that know it show what is between the two at once. */
export const beginFrame = '\x1b[?2026h'
export const endFrame = '\x1b[?2026l'

export const clearScreen = '\x1b[2J'
