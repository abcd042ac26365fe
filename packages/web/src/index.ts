/**
 * What runs in a browser: the page that `weave report` writes, and the dashboard.
 *
 * Owns how both look and behave; text nodes only. `report/` is plain DOM, built into one script that stands inside the page
 * together with its data, so it fetches nothing and stores nothing. `dashboard/` is built into files of its own, which the
 * command serves. `parts/` is what both are made of. Knows nothing of files, journals or the command that wrote the data.
 */
export { startReport } from './report/start-report.ts'
