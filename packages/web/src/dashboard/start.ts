import { startDashboard } from './main.tsx'

startDashboard(window)
