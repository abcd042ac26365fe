import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../files/index.ts'
import { messageOf } from '../../kit/index.ts'
import { type AboutRecording, recordingFiles, recordingFormat, recordingVersion } from './recording-files.ts'

export type ClaimedRecording =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/** Makes a directory a recording, if it is new or empty, or was claimed and nothing came of it. Never rejects. */
export async function claimRecording(
  directory: string,
  about: Pick<AboutRecording, 'weaveVersion' | 'unrecorded'>,
): Promise<ClaimedRecording> {
  const content: AboutRecording = { format: recordingFormat, version: recordingVersion, ...about }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const files = recordingFiles(directory)
    const present = await readdir(directory)
    if (present.some(name => join(directory, name) !== files.about))
      return {
        ok: false,
        message: `${directory} is not empty.`,
        cure: 'Name a new directory for the recording.',
      }
    await writeFileAtomic(files.about, `${JSON.stringify(content, null, 2)}\n`)
    return { ok: true }
  } catch (error) {
    const message = messageOf(error)
    return {
      ok: false,
      message: `No recording can be made in ${directory}: ${message}`,
      cure: 'Name another directory for the recording.',
    }
  }
}
