import { Alert, Button, Divider, Paper } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountDetail, RecordingState } from '../../../src/console-api/contract.ts'
import { SettingRow } from '../account/setting-row.tsx'
import { recordingQuery, sessionQuery } from '../api/queries.ts'
import { formatBytes } from '../format/bytes.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { Section } from '../parts/page/section.tsx'
import { EraseForm } from './erase-form.tsx'
import { ExportForm } from './export-form.tsx'
import { RecordingForm } from './recording-form.tsx'

/**
 * The recording settings of an account. All members see them, so that everybody knows whether their requests are
 * recorded.
 */
export function RecordingSection({ account }: { account: AccountDetail }) {
  const { t } = useTranslation()
  const userId = useQuery(sessionQuery).data?.user?.id
  const recording = useQuery(recordingQuery(account.id))
  if (recording.error)
    return <PageError error={recording.error} reset={() => void recording.refetch()} />
  const state = recording.data
  if (!state) return null
  // An operator has the role of an owner in every account, but only its own owners decide about recordings.
  const isInsider = account.members.some(
    (member) => member.userId === userId && member.role === 'owner',
  )
  // Others than owners do not learn whether anything is stored.
  const isUsed = state.scope !== 'off' || state.storedBytes !== 0
  const id = account.id
  return (
    <Section title={t('recording.title')} text={t('recording.text')}>
      <Paper withBorder px="md" py={4}>
        {!state.isAllowed && (
          <Alert color="gray" my="sm">
            {t('detail.recording_forbidden')}
          </Alert>
        )}
        <SettingRow
          title={t('recording.recorded')}
          text={
            <>
              <Policy state={state} />
              {!isInsider && account.yourRole === 'owner' && (
                <div>{t('recording.becomeOwner')}</div>
              )}
            </>
          }
        >
          {isInsider && (
            <Opener label={t('recording.change')} title={t('recording.changeTitle')}>
              {(close) => <RecordingForm account={id} state={state} onDone={close} />}
            </Opener>
          )}
        </SettingRow>
        {isUsed && state.mayRead && (
          <>
            <Divider />
            <SettingRow title={t('recording.export')} text={t('recording.exportText')}>
              <Opener label={t('recording.exportOpen')} title={t('recording.export')}>
                {(close) => <ExportForm account={id} onDone={close} />}
              </Opener>
            </SettingRow>
          </>
        )}
        {isUsed && account.yourRole === 'owner' && (
          <>
            <Divider />
            <SettingRow title={t('recording.erase')} text={t('recording.eraseText')}>
              <Opener label={t('recording.eraseOpen')} title={t('recording.erase')}>
                {(close) => <EraseForm account={id} onDone={close} />}
              </Opener>
            </SettingRow>
          </>
        )}
      </Paper>
    </Section>
  )
}

function Policy({ state }: { state: RecordingState }) {
  const { t } = useTranslation()
  const { scope, readers, keyIds, storedBytes } = state
  const days = Math.min(state.retentionDays, state.retentionDaysMax)
  const count = keyIds.length
  const ofKeys =
    storedBytes === null ? t('recording.ownKeys', { count }) : t('recording.keyCount', { count })
  const lines = [
    scope === 'keys' ? ofKeys : t(`value.scope.${scope}`),
    t('recording.readers', { readers: t(`value.readers.${readers}`) }),
    state.isOpenToOperators ? t('recording.operatorsMay') : t('recording.operatorsMayNot'),
    t('recording.kept', { count: days }),
    ...(storedBytes === null
      ? []
      : [
          t('recording.stored', {
            size: formatBytes(storedBytes),
            max: formatBytes(state.storedBytesMax),
          }),
        ]),
  ]
  const isOff = scope === 'off' && (storedBytes ?? 0) === 0
  return lines.slice(0, isOff ? 1 : lines.length).map((line) => <div key={line}>{line}</div>)
}

/** A button that opens a form. */
function Opener(props: {
  label: string
  title: string
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {props.label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={props.title}>
        {props.children(close)}
      </Dialog>
    </>
  )
}
