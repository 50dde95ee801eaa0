import { MultiSelect, NumberInput, Radio, Stack, Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RecordingEdit, RecordingState } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import {
  recordingReaders as readers,
  recordingPolicyDefinition,
  recordingScopes as scopes,
} from '../../../src/recording/definition/policy.ts'
import { call } from '../api/client.ts'
import { recordingQuery } from '../api/queries.ts'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { SubmitRow } from '../parts/forms/submit-row.tsx'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { useKeyChoices } from './use-key-choices.ts'

interface RecordingFormProps {
  readonly account: string
  readonly state: RecordingState
  readonly onDone: () => void
}

/** Only changed fields are sent, so that an owner can change who may read while recording is forbidden. */
export function RecordingForm({ account, state, onDone }: RecordingFormProps) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const queries = useQueryClient()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [edit, setEdit] = useState<Partial<RecordingState>>({})
  const [isTried, setTried] = useState(false)
  const next = { ...state, ...edit }
  const keyChoices = useKeyChoices(account, next.keyIds)
  const days = findProblem(
    recordingPolicyDefinition.fields.retentionDays.kind.wire,
    next.retentionDays,
  )
  // The message names the limit of this gateway, as the hint does.
  const daysProblem = ruleText(
    days && { ...days, values: { ...days.values, max: state.retentionDaysMax } },
  )
  const keysProblem =
    next.scope === 'keys' && next.keyIds.length === 0 ? t('recording.noKeys') : null
  const save = useMutation({
    mutationFn: () => {
      const body: RecordingEdit = edit
      return runFresh(() =>
        call('PATCH /accounts/{id}/recording', { params: { id: account }, body }),
      )
    },
    onSuccess: async (saved) => {
      if (!saved) return
      setEdit({})
      queries.setQueryData(recordingQuery(account).queryKey, saved)
      notifySuccess(t('recording.saved'))
      onDone()
      await queries.invalidateQueries({ queryKey: ['recorded', account] })
    },
  })
  useUnsaved(() => Object.keys(edit).length > 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (daysProblem === null && keysProblem === null) save.mutate()
  }
  const change = (part: Partial<RecordingState>) => setEdit({ ...edit, ...part })
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Radio.Group
            label={t('recording.recorded')}
            description={t('recording.recordedHint')}
            value={next.scope}
            onChange={(value) => {
              const scope = scopes.find((each) => each === value)
              if (scope) change({ scope })
            }}
          >
            <Stack gap="xs" mt="xs">
              {scopes.map((scope) => (
                <Radio
                  key={scope}
                  value={scope}
                  label={t(`value.scope.${scope}`)}
                  disabled={scope !== 'off' && !state.isAllowed}
                />
              ))}
            </Stack>
          </Radio.Group>
          {next.scope === 'keys' && (
            <MultiSelect
              {...keyChoices}
              label={t('recording.keys')}
              nothingFoundMessage={t('nothingFound')}
              value={[...next.keyIds]}
              error={isTried ? keysProblem : null}
              onChange={(keyIds) => change({ keyIds })}
            />
          )}
          <Radio.Group
            label={t('field.readers')}
            value={next.readers}
            onChange={(value) => {
              const found = readers.find((each) => each === value)
              if (found) change({ readers: found })
            }}
          >
            <Stack gap="xs" mt="xs">
              {readers.map((each) => (
                <Radio key={each} value={each} label={t(`value.readers.${each}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <Switch
            label={t('field.isOpenToOperators')}
            checked={next.isOpenToOperators}
            onChange={(event) => change({ isOpenToOperators: event.currentTarget.checked })}
          />
          <NumberInput
            label={t('recording.days')}
            description={t('recording.daysHint', { count: state.retentionDaysMax })}
            value={next.retentionDays}
            error={isTried ? daysProblem : null}
            onChange={(days) => change({ retentionDays: days === '' ? 0 : Number(days) })}
          />
          <SubmitRow sending={save} label={t('save')} />
        </Stack>
      </form>
      {/* Outside the form, because a submit in the dialog would also submit the form. */}
      {freshDialog}
    </>
  )
}
