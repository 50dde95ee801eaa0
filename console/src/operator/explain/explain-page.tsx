import '../operator.css'
import { Button, Paper, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type BodyOf,
  type KeyRow,
  type ProtocolName,
  protocolNames,
} from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { PageError } from '../../parts/feedback/page-error.tsx'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { ModelSelect } from '../upstreams/model-select.tsx'
import { useModelIds } from '../upstreams/use-choices.ts'
import { exampleBody, isModelInPath } from './example-bodies.ts'
import { ExplainResult } from './explain-result.tsx'
import { KeySelect } from './key-select.tsx'
import { ProtocolSelect } from './protocol-select.tsx'

export function ExplainPage() {
  const { t } = useTranslation()
  const explain = useMutation({
    mutationFn: (body: BodyOf<'POST /operate/explain'>) => call('POST /operate/explain', { body }),
  })
  return (
    <>
      <PageHeader title={t('explain.title')} text={t('explain.about')} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper withBorder p="md" style={{ alignSelf: 'start' }}>
          <ExplainForm isPending={explain.isPending} onSend={explain.mutate} />
        </Paper>
        <Stack aria-live="polite">
          {explain.error && <PageError error={explain.error} />}
          {explain.data && <ExplainResult answer={explain.data} />}
          {!explain.data && !explain.error && (
            <Paper withBorder p="xl">
              <Text size="sm" c="dimmed" ta="center" className="page-text">
                {t('explain.nothingYet')}
              </Text>
            </Paper>
          )}
        </Stack>
      </SimpleGrid>
    </>
  )
}

const [firstProtocol] = protocolNames

function ExplainForm(props: {
  isPending: boolean
  onSend: (body: BodyOf<'POST /operate/explain'>) => void
}) {
  const { t } = useTranslation()
  const [key, setKey] = useState<KeyRow>()
  const [protocol, setProtocol] = useState<ProtocolName>(firstProtocol)
  const [chosenModel, setModel] = useState<string>()
  const [firstModel] = useModelIds()
  const model = chosenModel ?? firstModel
  const [isStream, setStream] = useState(false)
  const [address, setAddress] = useState('')
  const [typed, setTyped] = useState<string>()
  const inPath = isModelInPath[protocol]
  // The example body follows the selections until the user edits it.
  const body = typed ?? exampleBody(protocol, model ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key === undefined) return
    props.onSend({
      keyId: key.id,
      protocol,
      body,
      ...(inPath && { isStream, ...(model !== undefined && { model }) }),
      ...(address.trim() !== '' && { address: address.trim() }),
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <KeySelect label={t('explain.key')} value={key} onChange={setKey} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ProtocolSelect
            label={t('explain.protocol')}
            protocols={protocolNames}
            value={protocol}
            onChange={setProtocol}
          />
          <ModelSelect
            label={inPath ? t('explain.modelInPath') : t('explain.modelInBody')}
            value={model}
            onChange={setModel}
          />
        </SimpleGrid>
        <Textarea
          label={t('explain.body')}
          description={t('explain.bodyHint')}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={body}
          onChange={(event) => setTyped(event.currentTarget.value || undefined)}
        />
        {inPath && (
          <Switch
            label={t('explain.stream')}
            checked={isStream}
            onChange={(event) => setStream(event.currentTarget.checked)}
          />
        )}
        <TextInput
          label={t('explain.address')}
          description={t('explain.addressHint')}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Button type="submit" disabled={key === undefined} loading={props.isPending}>
          {t('explain.run')}
        </Button>
      </Stack>
    </form>
  )
}
