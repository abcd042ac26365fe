/**
 * What runs in a browser: the page that `weave report` writes.
 *
 * Owns how a report looks and behaves: plain DOM and SVG, no framework, text nodes only. It is built into one script that
 * stands inside the page together with its data, so it fetches nothing and stores nothing. Knows nothing of files, journals
 * or the command that wrote the data.
 */
export { startReport } from './start-report.ts'
