import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { sidebar, weightOf } from '../../docs/.vitepress/pages.ts'
import { templateVariables } from '../../packages/runtime/src/hank/prompt-content.ts'
import { fillTemplate } from '../../packages/runtime/src/prompt/assemble.ts'
import { prose, table } from '../../scripts/generate/field-table.ts'
import { root } from '../../scripts/repository.mjs'
import { verifies } from '../conformance/verifies.ts'

const docs = join(root, 'docs')
const textOf = (page: string) => readFileSync(join(docs, page), 'utf8')

const pages = ['', 'reference/'].flatMap(folder =>
  readdirSync(join(docs, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => `${folder}${name}`),
)

describe('the handbook', () => {
  verifies(['repair/handbook-every-page'], 'lists every page once', () => {
    const listed = sidebar.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1) || 'index'}.md`))
    expect([...listed].sort()).toEqual([...pages].sort())
  })

  verifies(
    ['repair/handbook-guides-first'],
    'counts a guide more than a reference page in its search',
    () => {
      const guides = ['/checkpoints#going-back', '/recipes', '/', '/validate#three-hanks']
      const reference = ['/protocol#rollback-tocodon', '/reference/cli#rollback', '/decisions', '/map#rooms']
      const least = Math.min(...guides.map(weightOf))
      for (const page of reference) expect(weightOf(page)).toBeLessThan(least)
    },
  )

  verifies(['repair/handbook-tags'], 'shows angle brackets of prose as they are written', () => {
    expect(prose('short for --replay <recording>, as `weave replay <recording>`')).toBe(
      'short for --replay &lt;recording>, as `weave replay <recording>`',
    )
    expect(table(['a'], [['<b>']])).toContain('&lt;b>')
    for (const page of pages.filter(name => /^(?:reference\/|protocol)/.test(name))) {
      const shown = textOf(page)
        .replace(/^```[\s\S]*?^```/gm, '')
        .replace(/`[^`\n]*`/g, '')
      expect(/<[a-z]/i.exec(shown)?.[0], page).toBeUndefined()
    }
  })

  verifies(
    ['repair/handbook-placeholders'],
    'has every placeholder of prompts in a table, and no other',
    () => {
      const rows = textOf('prompts.md').matchAll(/^\| `<%([A-Z_]+)%>` \|/gm)
      const named = [...rows].map(row => row[1] ?? '')
      for (const name of named) expect(fillTemplate(`<%${name}%>`, '/w')).toMatch(/^\/w/)
      expect([...named].sort()).toEqual([...templateVariables].sort())
    },
  )
})
