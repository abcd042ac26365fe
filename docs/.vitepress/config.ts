import { defineConfig, type MarkdownRenderer } from 'vitepress'
import { sidebar, weightOf } from './pages.ts'

/** A page that is named in back-ticks, as `docs/running.md` is in the repository, is a link on the site. */
function linkPages(markdown: MarkdownRenderer): void {
  const inner = markdown.renderer.rules['code_inline']
  if (!inner) return
  markdown.renderer.rules['code_inline'] = (tokens, at, ...rest) => {
    const shown = inner(tokens, at, ...rest)
    const [, page] = /^docs\/(.+)\.md$/.exec(tokens[at]?.content ?? '') ?? []
    const isLinked =
      tokens.slice(0, at).findLast(({ type }) => type.startsWith('link_'))?.type === 'link_open'
    return page === undefined || isLinked ? shown : `<a href="/${page}">${shown}</a>`
  }
}

/** The handbook as a site: the same files, with a search. Everything is served from one place; nothing is fetched from others. */
export default defineConfig({
  title: 'weave',
  description: 'A local runtime for long agent workflows: repairable, predictable, nothing lost.',
  cleanUrls: true,
  lastUpdated: false,
  // No picture beside the title, and no request for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { config: linkPages },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument: weightOf } } },
    },
    outline: [2, 3],
    sidebar: sidebar.map(section => ({ ...section, items: [...section.items] })),
  },
})
