type Environment = Readonly<Record<string, string | undefined>>

/**
 * Makes glibc's `malloc` give back what a process no longer uses: by itself it keeps up to eight heaps a core, one for a thread, and
 * the holes in each; in a run that is 15 MB, which grow with the hours. It reads this from the environment of a process that starts,
 * and passes over the signs, by which ours are told from a person's own.
 */
const small: Environment = { MALLOC_ARENA_MAX: '+2', MALLOC_TRIM_THRESHOLD_: '+131072' }

/** For a process of ours that lives for hours. What a person has set stays. */
export function withSmallMalloc<Given extends Environment>(environment: Given): Given {
  return { ...small, ...environment }
}

/** Agents and their commands get `malloc` as it is. Call it first of all. */
export function hideSmallMalloc(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(small)) if (environment[name] === value) delete environment[name]
}
