import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type DropReason, Recorder } from '../../recording/recorder.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'

export type RecordingSettings = Pick<
  Config,
  | 'isRecordingAllowed'
  | 'recordingBodyBytesMax'
  | 'recordingAccountBytesMax'
  | 'recordingRetentionMs'
>

const reasons: Readonly<Record<DropReason, string>> = {
  memory: 'too many bodies wait for the database',
  database: 'the database did not take them',
  size: 'a single one exceeds recordingAccountBytesMax',
}

/** Records bodies for the accounts that have enabled recording. */
export function openRecorder(parts: {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly observer: { onRecordingDropped(count: number, why: DropReason): void }
  readonly recording: RecordingSettings
}): Recorder {
  const { engine, vault, clock, log, observer, recording } = parts
  const errors = new RepeatedErrors(log, clock.monotonicMs)
  return new Recorder({
    engine: forBackgroundWork(engine),
    vault,
    isAllowed: recording.isRecordingAllowed,
    bodyBytesMax: recording.recordingBodyBytesMax,
    accountBytesMax: recording.recordingAccountBytesMax,
    onDropped: (count, why, error) => {
      observer.onRecordingDropped(count, why)
      errors.log('recording_dropped', error ?? reasons[why])
    },
  })
}
