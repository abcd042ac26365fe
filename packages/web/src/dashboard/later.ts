/**
 * What is loaded when somebody first looks at it. One file for all of it: each further one would cut the script that the first
 * page needs into more pieces, and a browser fetches six at a time.
 */
export { BatchPage } from './pages/batch-page.tsx'
export { ComparePage } from './pages/compare-page.tsx'
export { FleetPage } from './pages/fleet-page.tsx'
export { BudgetsPanel } from './panels/budgets-panel.tsx'
