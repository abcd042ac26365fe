import { describe, expect, it } from 'vitest'
import { browserCommand, hasBrowser } from '../../src/web/browser.ts'

const url = 'http://127.0.0.1:7788/e/a#key=b;touch $(x)'

describe('the browser', () => {
  it('gets the address as one word, on every system', () => {
    const words = (platform: NodeJS.Platform, environment = {}) =>
      Object.values(browserCommand(url, { platform, environment })).flat()
    expect(words('linux')).toEqual(['xdg-open', url])
    expect(words('darwin')).toEqual(['open', url])
    expect(words('win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url])
    expect(words('linux', { BROWSER: 'firefox --new-tab' })).toEqual(['firefox', '--new-tab', url])
    expect(words('linux', { BROWSER: 'w3m -X=%s -n' })).toEqual(['w3m', `-X=${url}`, '-n'])
  })

  it('is there where somebody can see it', () => {
    const has = (platform: NodeJS.Platform, environment = {}) => hasBrowser({ platform, environment })
    expect(has('linux')).toBe(false)
    expect(has('linux', { DISPLAY: ':0' })).toBe(true)
    expect(has('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true)
    expect(has('darwin')).toBe(true)
    expect(has('darwin', { SSH_CONNECTION: 'x' })).toBe(false)
    expect(has('linux', { SSH_TTY: 'x', DISPLAY: ':10', BROWSER: 'lynx' })).toBe(true)
  })
})
