import { firstQuestions } from './first-questions.ts'

firstQuestions(window)
