import { defineConfig, type MarkdownRenderer } from 'vitepress'

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

/**
 * How much a page counts in the search: guides before what one looks a field up in, and that before what is about the
 * inside. The browser gets the text of this function, so it uses nothing from outside of itself.
 */
export function weightOf(address: string): number {
  if (/^\/(?:reference\/|protocol\b)/.test(address)) return 0.25
  return /^\/(?:map|day-of-a-codon|testing|proof|decisions)\b/.test(address) ? 0.1 : 1
}

/** A page that is named in back-ticks, as `docs/running.md` is in the repository, is a link on the site. */
function linkPages(markdown: MarkdownRenderer): void {
  const inner = markdown.renderer.rules['code_inline']
  if (!inner) return
  markdown.renderer.rules['code_inline'] = (tokens, at, ...rest) => {
    const shown = inner(tokens, at, ...rest)
    const [, page] = /^docs\/(.+)\.md$/.exec(tokens[at]?.content ?? '') ?? []
    const isLinked = tokens.slice(0, at).findLast(({ type }) => type.startsWith('link_'))?.type === 'link_open'
    return page === undefined || isLinked ? shown : `<a href="/${page}">${shown}</a>`
  }
}

/** The handbook as a site: the same files, with a search. Everything is served from one place; nothing is fetched from others. */
export default defineConfig({
  title: 'weave',
  description: 'A local runtime for long agent workflows: repairable, predictable, nothing lost.',
  cleanUrls: true,
  lastUpdated: false,
  markdown: { config: linkPages },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument: weightOf } } },
    },
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
