import './without-eval.ts'
import { startDashboard } from './main.tsx'

startDashboard(window)
