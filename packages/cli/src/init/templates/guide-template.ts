/** `rig/guide-template.md`: what the rig puts into the agent workspace. */
export const guideTemplate = `# Guide

## What this is

TODO: one paragraph on what the folder is for.

## What is where

TODO: one line for each part, its path first.

## Where to begin

TODO: the first thing a newcomer should open or do.
`
