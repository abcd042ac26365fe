/**
 * Leaves out the messages of zod in all languages but its own: nobody asks for them, and they are half of what every
 * command that reads a run would load.
 *
 * @returns {import('esbuild').Plugin}
 */
export function withoutLanguages() {
  return {
    name: 'without-languages',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({ contents: 'export {}' }))
    },
  }
}
