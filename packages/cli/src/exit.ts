/** What the process says when it ends. */
export const exitCodes = {
  /** The hank completed, nothing was left to do, or validation passed. */
  done: 0,
  /** The run failed or the configuration is invalid. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** Ended by SIGINT before the hank was done. */
  interrupted: 130,
  /** Ended by SIGTERM before the hank was done. */
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
