/** What will run, with everything decided that can be decided before the first token: frozen when an execution begins. */
export interface Plan {
  readonly hankName: string
  /** Absolute. */
  readonly hankDir: string
  readonly globalSystemPrompt?: PlannedText
  readonly items: readonly PlannedCodon[]
}

export interface PlannedCodon {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly model: string
  readonly prompt: PlannedText
  readonly appendSystemPrompt?: PlannedText
}

/** Files are read anew when the codon starts; the plan keeps their places, relative to the hank directory. */
export type PlannedText = { readonly files: readonly string[] } | { readonly text: string }
