/** TABLE of the panels, in the order of their numbers. */
export const panels = {
  stream: { title: 'Stream', about: 'what happens, as it happens' },
  plan: { title: 'Plan', about: 'the codons and loops of the hank, and what became of them' },
  files: { title: 'Files', about: 'the checkpointed files that changed' },
  sentinels: { title: 'Sentinels', about: 'the observers and what they did' },
  budgets: { title: 'Budgets', about: 'limits and how much of them is used' },
  checkpoints: { title: 'Checkpoints', about: 'the versions of the workspace that can be gone back to' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly about: string }>>

export type PanelName = keyof typeof panels

export const panelNames = Object.keys(panels) as readonly PanelName[]
