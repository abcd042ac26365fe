/** Limits of providers that hold for all workers together. */

export { listThrottles, type ProviderLimits, setThrottle, type ThrottleWish } from './limits.ts'
export { createThrottle } from './throttle.ts'
