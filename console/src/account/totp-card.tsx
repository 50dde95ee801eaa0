import { Alert, Button, Code, Group, Image, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { renderSVG } from 'uqr'
import { appCodeKind, codeKind } from '../../../src/accounts/definition/sign-in.ts'
import type { SignedInUser, TotpStart } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { ApiError, call } from '../api/client.ts'
import { sessionQuery, sessionsQuery } from '../api/queries.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { SettingRow } from './setting-row.tsx'

type Stage =
  | { readonly kind: 'closed' | 'remove' }
  | { readonly kind: 'scan'; readonly start: TotpStart }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

/** Second factor: QR code, confirmation code and recovery codes. */
export function TotpCard({ user }: { user: SignedInUser }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [stage, setStage] = useState<Stage>({ kind: 'closed' })
  const [runFresh, freshDialog] = useFreshSignIn()
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
    ])
  const begin = useMutation({
    mutationFn: () => runFresh(() => call('POST /totp/start', {})),
    onSuccess: (start) => start && setStage({ kind: 'scan', start }),
    onError: (error) => notifyFailure(errorText(error)),
  })
  const confirm = async (code: string) => {
    const { recoveryCodes } = await call('POST /totp/confirm', { body: { code } })
    setStage({ kind: 'codes', codes: recoveryCodes })
    await refresh()
  }
  const erase = async (code: string) => {
    await call('POST /totp/remove', { body: { code } })
    setStage({ kind: 'closed' })
    notifySuccess(t('totp.removed'))
    await refresh()
  }
  const close = () => setStage({ kind: 'closed' })
  return (
    <SettingRow title={t('totp.title')} text={user.hasTotp ? t('totp.on') : t('totp.off')}>
      {user.hasTotp ? (
        <Button variant="default" onClick={() => setStage({ kind: 'remove' })}>
          {t('totp.remove')}
        </Button>
      ) : (
        <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
          {t('totp.start')}
        </Button>
      )}
      <Dialog isOpen={stage.kind !== 'closed'} onClose={close} title={t('totp.title')}>
        {stage.kind === 'scan' && (
          <Stack>
            <Text size="sm">{t('totp.scan')}</Text>
            <Group justify="center">
              <Image
                src={`data:image/svg+xml,${encodeURIComponent(renderSVG(stage.start.url))}`}
                alt={t('totp.qr')}
                w={200}
                h={200}
              />
            </Group>
            <Group gap={6}>
              <Text size="sm" c="dimmed">
                {t('totp.secret')}
              </Text>
              <Code>{stage.start.secret}</Code>
            </Group>
            <CodeForm
              label={t('totp.confirm')}
              kind={appCodeKind}
              wrongText={t('totp.mismatch')}
              onCode={confirm}
            />
          </Stack>
        )}
        {stage.kind === 'codes' && (
          <Stack>
            <Alert color="teal">{t('totp.recovery')}</Alert>
            <CodeBlock text={stage.codes.join('\n')} />
            <Button onClick={close}>{t('totp.done')}</Button>
          </Stack>
        )}
        {stage.kind === 'remove' && (
          <Stack>
            <Text size="sm">{t('totp.removeText')}</Text>
            <CodeForm
              label={t('totp.remove')}
              kind={codeKind}
              wrongText={t('error.wrong_code')}
              onCode={erase}
            />
          </Stack>
        )}
      </Dialog>
      {freshDialog}
    </SettingRow>
  )
}

function CodeForm(props: {
  label: string
  kind: typeof codeKind
  /** The message for a code of the right form that does not match. */
  wrongText: string
  onCode: (code: string) => Promise<void>
}) {
  const { label, kind, wrongText } = props
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const send = useMutation({
    mutationFn: props.onCode,
    onError: (error) => setProblem(isWrongCode(error) ? wrongText : errorText(error)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = ruleText(findProblem(kind.wire, code))
    setProblem(wrong)
    if (wrong === null) send.mutate(code.trim())
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" wrap="nowrap">
        <TextInput
          aria-label={t('totp.code')}
          placeholder="123456"
          autoComplete="one-time-code"
          value={code}
          error={problem}
          onChange={(event) => setCode(event.currentTarget.value)}
          style={{ flex: 1 }}
          data-autofocus
        />
        <Button type="submit" loading={send.isPending}>
          {label}
        </Button>
      </Group>
    </form>
  )
}

function isWrongCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'wrong_code'
}
