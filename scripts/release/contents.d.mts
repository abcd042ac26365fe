export function contentProblems(cli: string): string[]
