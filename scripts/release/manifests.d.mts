export function manifestProblems(root: string, tag: string | undefined): string[]
