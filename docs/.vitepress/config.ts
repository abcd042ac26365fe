import { defineConfig } from 'vitepress'

const titles: Readonly<Record<string, string>> = {
  index: 'Welcome',
  'day-of-a-codon': 'A day in the life of a codon',
  'reference/cli': 'Command line',
  'reference/settings': 'Settings and environment',
  'reference/hank': 'hank.json',
  'reference/sentinel': 'Sentinel files',
  'reference/rehearsal': 'rehearsal.json',
}

function pages(...names: readonly string[]): { text: string; link: string }[] {
  return names.map(name => ({
    text: titles[name] ?? capitalized(name),
    link: `/${name === 'index' ? '' : name}`,
  }))
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The handbook as a site: the same files, with a search. Everything is served from one place; nothing is fetched from others. */
export default defineConfig({
  title: 'weave',
  description: 'A local runtime for long agent workflows: repairable, predictable, nothing lost.',
  cleanUrls: true,
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Begin', items: pages('index', 'tutorial', 'concepts', 'recipes', 'troubleshooting') },
      {
        text: 'Guides',
        items: pages(
          'running',
          'validate',
          'rehearsal',
          'terminal',
          'checkpoints',
          'budgets',
          'sentinels',
          'proxy',
          'replay',
          'report',
          'processes',
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
          ),
          ...pages('protocol'),
        ],
      },
      { text: 'Inside', items: pages('map', 'day-of-a-codon', 'testing', 'proof', 'decisions') },
    ],
  },
})
