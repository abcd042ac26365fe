/** What the process says when it ends. */
export const exitCodes = {
  /** The hank completed, nothing was left to do, or validation passed. */
  done: 0,
  /** The run failed or the configuration is invalid. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
