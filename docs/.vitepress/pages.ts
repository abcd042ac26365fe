interface Page {
  readonly text: string
  readonly link: string
}

interface Section {
  readonly text: string
  readonly items: readonly Page[]
}

const titles: Readonly<Record<string, string>> = {
  index: 'Welcome',
  agents: 'Agents, keys and models',
  acp: 'Other agents (ACP)',
  prompts: 'Prompts and variables',
  ci: 'In CI',
  editors: 'In your editor',
  'day-of-a-codon': 'A day in the life of a codon',
  'reference/cli': 'Command line',
  'reference/settings': 'Settings and environment',
  'reference/hank': 'hank.json',
  'reference/sentinel': 'Sentinel files',
  'reference/rehearsal': 'rehearsal.json',
  'reference/notify': 'notify.json',
  'reference/models': 'models.json',
  detach: 'Runs without a terminal',
  fleet: 'A hank over many data sets',
  'fleet-tutorial': 'Three workers, and one that dies',
}

/** TABLE of the pages of the site, in the order of its list. */
export const sidebar: readonly Section[] = [
  {
    text: 'Begin',
    items: pages('index', 'tutorial', 'install', 'concepts', 'recipes', 'questions', 'troubleshooting'),
  },
  {
    text: 'Guides',
    items: pages(
      'running',
      'agents',
      'acp',
      'prompts',
      'validate',
      'editors',
      'mcp',
      'rehearsal',
      'ci',
      'terminal',
      'dashboard',
      'checkpoints',
      'detach',
      'notifications',
      'rules',
      'versions',
      'fleet',
      'fleet-tutorial',
      'budgets',
      'sentinels',
      'proxy',
      'replay',
      'report',
      'gates',
      'processes',
      'opentelemetry',
      'telemetry',
    ),
  },
  {
    text: 'Reference',
    items: [
      ...pages(
        'reference/cli',
        'reference/settings',
        'reference/hank',
        'reference/sentinel',
        'reference/rehearsal',
        'reference/notify',
        'reference/models',
      ),
      ...pages('protocol'),
    ],
  },
  { text: 'Inside', items: pages('map', 'day-of-a-codon', 'testing', 'proof', 'decisions') },
]

function pages(...names: readonly string[]): readonly Page[] {
  return names.map(name => ({
    text: titles[name] ?? capitalized(name),
    link: `/${name === 'index' ? '' : name}`,
  }))
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * How much a page counts in the search: guides before what one looks a field up in, and that before what is about the
 * inside. The browser gets the text of this function, so it uses nothing from outside of itself.
 */
export function weightOf(address: string): number {
  if (/^\/(?:reference\/|protocol\b)/.test(address)) return 0.25
  return /^\/(?:map|day-of-a-codon|testing|proof|decisions)\b/.test(address) ? 0.1 : 1
}
