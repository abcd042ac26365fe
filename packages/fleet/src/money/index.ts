/** Dollars of batches: lent to turns, spent, in doubt. */

export { type BatchMoney, batchMoney, setBudget, settleDoubt } from './budget.ts'
export { createPurse, type Purse } from './purse.ts'
