import assert from 'node:assert/strict'
import test from 'node:test'
import { slug } from './slug.mjs'

void test('words are joined by hyphens, in small letters', () => {
  assert.equal(slug('Lapsang  Souchong'), 'lapsang-souchong')
})

void test('accents and marks go', () => {
  assert.equal(slug('Thé vert (Sencha)!'), 'the-vert-sencha')
})
