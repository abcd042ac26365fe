export function quickTests(): string[]
export function longTests(): string[]
