/** Variables by name. An absent one is undefined or not there at all. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the names of variables that give settings begin with. */
export const runtimePrefix = 'WEAVE_RUNTIME_'
