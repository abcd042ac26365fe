import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectionShare, readDescriptorLimit } from '../../src/kit/admission.ts'

test('the limit is what the system says of this process', () => {
  const text = 'Max processes             7823                 7823                 processes \n'
  expect(
    readDescriptorLimit(
      `${text}Max open files            1024                 4096                 files     \n`,
    ),
  ).toBe(1024)
  expect(readDescriptorLimit(text)).toBeUndefined()
  expect(
    readDescriptorLimit('Max open files            unlimited            unlimited            files\n'),
  ).toBeUndefined()
  if (process.platform === 'linux')
    expect(readDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'))).toBeGreaterThan(0)
})

test('all ports together leave 256 descriptors alone, whatever the limit is', () => {
  for (const limit of [512, 1_024, 4_096, 20_000]) {
    const control = connectionShare({ ports: 2, each: 1 }, limit) ?? 0
    const proxy = connectionShare({ ports: 2, each: 2 }, limit) ?? 0
    expect(control + 2 * proxy).toBeLessThanOrEqual(limit - 256)
    expect(control + 2 * proxy).toBeGreaterThan(limit - 260)
  }
  // With so few nothing works well, but a client gets in.
  expect(connectionShare({ ports: 2, each: 2 }, 256)).toBe(8)
})
