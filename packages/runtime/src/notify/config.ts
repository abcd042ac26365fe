import type * as z from 'zod'
import type { noticeTypes, notifyFile, notifyTarget } from './schema.ts'

/** What a person is told of. */
export type NoticeType = (typeof noticeTypes)[number]

export type NotifyConfig = Readonly<z.infer<typeof notifyFile>>
export type NotifyTarget = Readonly<z.infer<typeof notifyTarget>>
export type WebhookTarget = Extract<NotifyTarget, { type: 'webhook' }>
export type CommandTarget = Extract<NotifyTarget, { type: 'command' }>
