import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

/** Limits for what accounts record. */
export const recordingSettings = {
  recording: setting(kinds.switchSetting, {
    member: 'isRecordingAllowed',
    byDefault: 'on',
    about:
      'Whether owners of an account may enable the recording of request and response bodies: on or off. No account records unless an owner has enabled it.',
  }),
  recordingBodyBytesMax: setting(
    kinds.sizeSetting({ least: '1KiB', most: '64MiB', such: '1MiB' }),
    {
      byDefault: '1MiB',
      about: 'A longer request or response body is cut in its recording.',
    },
  ),
  recordingAccountBytesMax: setting(kinds.sizeSetting({ least: '1MiB', such: '256MiB' }), {
    byDefault: '256MiB',
    about:
      'Space for the recordings of one account in the database, compressed; when it is full, the oldest recordings are deleted.',
  }),
  recordingRetentionDays: setting(kinds.daysSetting(3650), {
    member: 'recordingRetentionMs',
    byDefault: '90',
    about: 'Days after which every recording is deleted, if its account has not chosen fewer.',
  }),
}
