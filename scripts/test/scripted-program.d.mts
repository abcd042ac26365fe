/** The path of the command with scripted agents, built if need be. */
export declare function scriptedProgram(): Promise<string>
