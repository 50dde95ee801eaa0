import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnPasskey, PasskeysAnswer } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { canUsePasskeys, createPasskey, hasPasskeys } from '../api/passkeys.ts'
import { passkeysQuery, sessionQuery, sessionsQuery } from '../api/queries.ts'
import { formatAgo, formatDay } from '../format/times.ts'
import { IconKey } from '../icons/icons.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { usePasskeyError } from '../parts/fresh-sign-in/use-passkey-error.ts'
import { agentName } from './agent-name.ts'
import { SettingRow } from './setting-row.tsx'

/** The passkeys of the user. */
export function PasskeysCard() {
  const { t } = useTranslation()
  const errorText = usePasskeyError()
  const queries = useQueryClient()
  const origin = useQuery(sessionQuery).data?.passkeyOrigin
  const passkeys = useQuery(passkeysQuery).data?.passkeys ?? []
  const [runFresh, freshDialog] = useFreshSignIn()
  const [ask, confirmation] = useConfirm()
  const [renamed, setRenamed] = useState<OwnPasskey>()
  const show = async (answer: PasskeysAnswer) => {
    queries.setQueryData(passkeysQuery.queryKey, answer)
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
  const onError = (error: unknown) => notifyFailure(errorText(error))
  const add = useMutation({
    mutationFn: async () => {
      const options = await runFresh(() => call('POST /passkeys/start', {}))
      if (!options) return undefined
      const made = await createPasskey(options)
      const name = agentName(navigator.userAgent)
      return call('POST /passkeys', { body: { name, ...made } })
    },
    onSuccess: async (answer) => {
      if (!answer) return
      notifySuccess(t('passkeys.added'))
      await show(answer)
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: (id: string) => runFresh(() => call('DELETE /passkeys/{id}', { params: { id } })),
    onSuccess: async (answer) => {
      if (!answer) return
      notifySuccess(t('passkeys.removed'))
      await show(answer)
    },
    onError,
  })
  const askRemoval = ({ id, name }: OwnPasskey) =>
    ask({
      title: t('passkeys.removeTitle', { name }),
      text: t('passkeys.removeText'),
      action: t('passkeys.remove'),
      onYes: () => remove.mutate(id),
    })
  return (
    <>
      <SettingRow title={t('passkeys.title')} text={<About origin={origin} />}>
        {canUsePasskeys(origin) && (
          <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
            {t('passkeys.add')}
          </Button>
        )}
      </SettingRow>
      {passkeys.length > 0 && (
        <Stack gap={0} pb="xs" component="ul" m={0} pl={0} style={{ listStyle: 'none' }}>
          {passkeys.map((passkey) => (
            <PasskeyLine
              key={passkey.id}
              passkey={passkey}
              isElsewhere={typeof origin === 'string' && new URL(origin).hostname !== passkey.host}
              onRename={() => setRenamed(passkey)}
              onRemove={() => askRemoval(passkey)}
            />
          ))}
        </Stack>
      )}
      <Dialog
        isOpen={renamed !== undefined}
        onClose={() => setRenamed(undefined)}
        title={t('passkeys.renameTitle')}
      >
        {renamed && (
          <NameForm
            passkey={renamed}
            onDone={async (answer) => {
              setRenamed(undefined)
              notifySuccess(t('passkeys.renamed'))
              await show(answer)
            }}
          />
        )}
      </Dialog>
      {freshDialog}
      {confirmation}
    </>
  )
}

function About({ origin }: { origin: string | null | undefined }) {
  const { t } = useTranslation()
  if (origin === null) return t('passkeys.off')
  if (origin !== undefined && origin !== window.location.origin)
    return t('passkeys.elsewhere', { origin: `${origin}/console` })
  return hasPasskeys() ? t('passkeys.text') : t('passkeys.unsupported')
}

function PasskeyLine(props: {
  passkey: OwnPasskey
  isElsewhere: boolean
  onRename: () => void
  onRemove: () => void
}) {
  const { t, i18n } = useTranslation()
  const { name, host, createdAt, usedAt } = props.passkey
  const facts = [
    t('passkeys.created', { day: formatDay(createdAt, i18n.language) }),
    usedAt === null
      ? t('passkeys.never')
      : t('passkeys.used', { ago: formatAgo(usedAt, i18n.language) }),
    ...(props.isElsewhere ? [t('passkeys.otherHost', { host })] : []),
  ]
  const label = (action: string) => t('passkeys.of', { action, name })
  return (
    <Group component="li" justify="space-between" py="xs" gap="xs">
      <Group gap="sm" wrap="nowrap" style={{ flex: '1 1 200px', minWidth: 0 }}>
        <IconKey size={20} stroke={1.5} aria-hidden style={{ flex: 'none' }} />
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
        </div>
      </Group>
      <Group gap={4} wrap="nowrap">
        <Button size="xs" variant="subtle" aria-label={label(t('rename'))} onClick={props.onRename}>
          {t('rename')}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={label(t('passkeys.remove'))}
          onClick={props.onRemove}
        >
          {t('passkeys.remove')}
        </Button>
      </Group>
    </Group>
  )
}

function NameForm(props: {
  passkey: OwnPasskey
  onDone: (answer: PasskeysAnswer) => Promise<void>
}) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const [name, setName] = useState(props.passkey.name)
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /passkeys/{id}', { params: { id: props.passkey.id }, body: { name } }),
    onSuccess: props.onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('passkeys.name')}
          value={name}
          error={save.error ? errorText(save.error) : null}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Button type="submit" loading={save.isPending}>
          {t('passkeys.save')}
        </Button>
      </Stack>
    </form>
  )
}
