import { Alert, Box, Button, Grid, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { memo, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type PlaygroundKey,
  type ProtocolName,
  protocolNames,
} from '../../../src/console-api/contract.ts'
import { playgroundQuery, sessionQuery } from '../api/queries.ts'
import { protocolLabels } from '../codes/protocol-label.ts'
import { IconKey, IconRefresh } from '../icons/icons.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Select } from '../parts/forms/select.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { useNoKeysText } from '../shell/use-no-keys-text.ts'
import { Composer } from './composer.tsx'
import { firstFields, type PlayFields, PlaySettingsForm } from './play-settings.tsx'
import { playProtocols } from './protocols.ts'
import { RunPanel } from './run-panel.tsx'
import { readTools } from './tools-text.ts'
import type { ChatTurn, PlaySettings } from './turn.ts'
import { TurnView } from './turn-view.tsx'
import { usePlayer } from './use-player.ts'

export function PlaygroundPage() {
  const { t } = useTranslation()
  const { account } = useSearch({ from: '/shell/playground' })
  const options = useQuery(playgroundQuery(account))
  const mayChange = useMayChange(account)
  const noKeysText = useNoKeysText()
  return (
    <>
      <PageHeader title={t('play.title')} text={t('play.text')} />
      {options.error && <PageError error={options.error} reset={() => void options.refetch()} />}
      {options.isPending && <PagePending />}
      {options.data?.keys.length === 0 && (
        <Paper withBorder>
          <EmptyState
            icon={<IconKey />}
            title={mayChange ? t('play.noKeysTitle') : t('keys.noneTitle')}
            text={mayChange ? t('play.noKeysText') : noKeysText}
            action={
              mayChange && (
                <ButtonLink to="/keys" search={{ ...(account && { account }), key: 'new' }}>
                  {t('keys.new')}
                </ButtonLink>
              )
            }
          />
        </Paper>
      )}
      {options.data && options.data.keys.length > 0 && <Desk keys={options.data.keys} />}
    </>
  )
}

function Desk({ keys }: { keys: readonly PlaygroundKey[] }) {
  const { t } = useTranslation()
  const session = useQuery(sessionQuery).data
  const choice = useChoice(keys)
  const [fields, setFields] = useState(firstFields)
  const changeFields = useCallback(
    (change: Partial<PlayFields>) => setFields((old) => ({ ...old, ...change })),
    [],
  )
  const [turns, setTurns] = useState<readonly ChatTurn[]>([])
  const player = usePlayer()
  const { key, model, protocol } = choice
  const settings: PlaySettings = {
    model: model ?? '',
    system: fields.system,
    maxTokens: fields.maxTokens,
    temperature: fields.temperature,
    isStream: fields.isStream,
    tools: readTools(fields.toolsText) ?? [],
  }
  const openCalls = findOpenCalls(turns)
  const send = async (next: readonly ChatTurn[]) => {
    setTurns(next)
    if (findOpenCalls(next).length > 0) return
    const brand = session?.brand ?? 'gateway'
    const reply = await player.send({ keyId: key.id, protocol, brand, settings, turns: next })
    const { text, reasoning, calls } = reply.turn
    if (text + reasoning !== '' || calls.length > 0) setTurns([...next, reply.turn])
  }
  const { run, isRunning } = player
  const wire = playProtocols[protocol].request(settings, turns)
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <Paper withBorder p="md">
            <Choices keys={keys} choice={choice} />
          </Paper>
          <Paper withBorder p="md">
            <Stack gap="sm" className="conversation" aria-live="polite" aria-busy={isRunning}>
              {turns.length === 0 && !isRunning && (
                <Text size="sm" c="dimmed">
                  {t('play.empty')}
                </Text>
              )}
              {turns.map((turn, index) => (
                <TurnView
                  // biome-ignore lint/suspicious/noArrayIndexKey: turns have no other name, and are only added at the end.
                  key={index}
                  turn={turn}
                  openCalls={openCalls}
                  onResult={(call, text) => void send([...turns, { kind: 'result', call, text }])}
                />
              ))}
              {isRunning && run && <TurnView turn={run.reply.turn} />}
              {!isRunning && run?.reply.problem !== undefined && (
                <Alert color="red" title={t('play.problem')}>
                  {run.reply.problem}
                </Alert>
              )}
              {!isRunning && run?.isStopped && (
                <Text size="sm" c="dimmed">
                  {t('play.stopped')}
                </Text>
              )}
              <Box mt="auto">
                <Composer
                  isRunning={isRunning}
                  isDisabled={model === undefined || openCalls.length > 0}
                  onStop={player.stop}
                  onSend={(text, picture) =>
                    void send([...turns, { kind: 'user', text, ...(picture && { picture }) }])
                  }
                />
              </Box>
              {turns.length > 0 && !isRunning && (
                <Button
                  variant="subtle"
                  color="gray"
                  size="xs"
                  leftSection={<IconRefresh size={14} />}
                  style={{ alignSelf: 'flex-start' }}
                  onClick={() => {
                    setTurns([])
                    player.clear()
                  }}
                >
                  {t('play.clear')}
                </Button>
              )}
            </Stack>
          </Paper>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="md">
          <Paper withBorder p="md">
            <PlaySettingsForm fields={fields} onChange={changeFields} />
          </Paper>
          <RunPanel
            run={run}
            isRunning={isRunning}
            wire={wire}
            root={session?.gatewayUrl ?? window.location.origin}
            protocol={protocol}
          />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

/** Tool calls of the last turns without a result. */
function findOpenCalls(turns: readonly ChatTurn[]): string[] {
  const called = turns.flatMap((turn) =>
    turn.kind === 'model' ? turn.calls.map(({ id }) => id) : [],
  )
  const answered = new Set(turns.flatMap((turn) => (turn.kind === 'result' ? [turn.call.id] : [])))
  return called.filter((id) => !answered.has(id))
}

type Choice = ReturnType<typeof useChoice>

function useChoice(keys: readonly PlaygroundKey[]) {
  const search = useSearch({ from: '/shell/playground' })
  const [keyId, setKeyId] = useState(search.key)
  const [modelId, setModelId] = useState(search.model)
  const [protocol, setProtocol] = useState<ProtocolName>(protocolNames[0])
  const fits = ({ models }: PlaygroundKey) =>
    modelId === undefined ? models.length > 0 : models.some(({ id }) => id === modelId)
  const key = keys.find(({ id }) => id === keyId) ?? keys.find(fits) ?? keys[0]
  if (!key) throw new Error('there is no key to choose from')
  const model = key.models.find(({ id }) => id === modelId)?.id ?? key.models[0]?.id
  return useMemo(
    () => ({ key, model, protocol, setKeyId, setModelId, setProtocol }),
    [key, model, protocol],
  )
}

/** Memoized, so that streaming does not re-render it. */
const Choices = memo(function Choices(props: { keys: readonly PlaygroundKey[]; choice: Choice }) {
  const { keys, choice } = props
  const { t } = useTranslation()
  const { key, model, protocol } = choice
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Select
        label={t('play.key')}
        data={keys.map(({ id, name }) => ({ value: id, label: name }))}
        value={key.id}
        allowDeselect={false}
        searchable={keys.length > 8}
        onChange={(id) => id !== null && choice.setKeyId(id)}
      />
      <Select
        label={t('play.model')}
        data={key.models.map(({ id }) => id)}
        value={model ?? null}
        allowDeselect={false}
        searchable
        error={key.models.length === 0 && t('play.noModels')}
        onChange={(id) => id !== null && choice.setModelId(id)}
      />
      <Select
        label={t('play.protocol')}
        data={protocolNames.map((name) => ({ value: name, label: protocolLabels[name] }))}
        value={protocol}
        allowDeselect={false}
        onChange={(value) =>
          choice.setProtocol(protocolNames.find((name) => name === value) ?? protocolNames[0])
        }
      />
    </SimpleGrid>
  )
})
