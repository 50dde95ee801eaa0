import { Alert, Autocomplete, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { priceDefinition } from '../../../src/catalog/definition/price.ts'
import { routedModelDefinition } from '../../../src/catalog/definition/route.ts'
import { plainDollars } from '../../../src/console-api/contract/figures.ts'
import type {
  SetupModelRequest,
  StartModelsAnswer,
  UpstreamDetail,
} from '../../../src/console-api/contract.ts'
import { writtenToWire } from '../../../src/fields/written-to-wire.ts'
import { call } from '../api/client.ts'
import { useProblemText } from '../codes/use-problem-text.ts'
import { formatDuration } from '../format/times.ts'
import { IconCheck } from '../icons/icons.ts'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { NumberInput, TextInput } from '../parts/forms/inputs.tsx'
import { numberLimits } from '../parts/forms/number-limits.ts'
import { useFieldRules } from '../parts/forms/use-field-rules.ts'
import { StepButtons } from './step-buttons.tsx'
import { setupQuery, startModelsQuery, upstreamModelsQuery } from './use-setup.ts'

const { model, group, maxOutputTokens } = routedModelDefinition.fields
const { inputNano, outputNano } = priceDefinition.fields

interface ModelStepProps {
  readonly upstream: UpstreamDetail | undefined
  readonly made: string | undefined
  readonly onMade: (model: string) => void
  readonly onBack: () => void
  readonly onNext: () => void
}

export function ModelStep({ upstream, made, onMade, onBack, onNext }: ModelStepProps) {
  const { t } = useTranslation()
  const hasModel = useQuery(setupQuery).data?.hasModel ?? false
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.modelText')}</Text>
      {(hasModel || made !== undefined) && (
        <Alert color="teal" icon={<IconCheck />}>
          {made ?? t('setup.modelDone')}
        </Alert>
      )}
      {upstream && made === undefined && <ModelForm upstream={upstream} onMade={onMade} />}
      {!upstream && !hasModel && (
        <Text size="sm" c="dimmed">
          {t('setup.modelNone')}
        </Text>
      )}
      <StepButtons onBack={onBack} onNext={onNext} isDone={hasModel || made !== undefined} />
    </Stack>
  )
}

function ModelForm(props: { upstream: UpstreamDetail; onMade: (model: string) => void }) {
  const { upstream, onMade } = props
  const { t } = useTranslation()
  const errorText = useErrorText()
  const rules = useFieldRules()
  const queries = useQueryClient()
  const listed = useQuery(upstreamModelsQuery(upstream.id)).data?.models ?? []
  const start = useQuery(startModelsQuery(upstream.vendor, upstream.baseUrl)).data
  const known = start?.models
  const [isPriced, setPriced] = useState(false)
  const form = useForm({
    mode: 'controlled',
    initialValues: {
      model: '',
      group: 'default',
      input: '',
      output: '',
      maxOutput: maxOutputTokens.initial,
    },
    validate: {
      model: rules.wire(model.kind),
      group: rules.wire(group.kind),
      input: rules.written(inputNano.kind),
      output: rules.written(outputNano.kind),
      maxOutput: rules.wire(maxOutputTokens.kind),
    },
  })
  useUnsaved(() => form.isDirty())
  const choose = (model: string) => {
    const listedStart = known?.find(({ id }) => id === model)
    setPriced(listedStart !== undefined)
    const free = start?.isLocal === true ? { input: '0', output: '0' } : {}
    form.setValues({ model, ...free, ...(listedStart && valuesOf(listedStart)) })
  }
  const save = async (values: typeof form.values) => {
    const listedStart = known?.find(({ id }) => id === values.model)
    try {
      const answer = await call('POST /setup/model', {
        body: requestOf(upstream, values, listedStart),
      })
      onMade(answer.model)
      await queries.invalidateQueries()
    } catch (error) {
      notifyFailure(errorText(error))
    }
  }
  const names = [...new Set([...listed, ...(known ?? []).map(({ id }) => id)])]
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="sm" maw={460}>
        <Autocomplete
          label={t('setup.modelId')}
          data={names}
          limit={60}
          value={form.values.model}
          error={form.errors['model']}
          onChange={choose}
        />
        {isPriced && (
          <Text size="xs" c="dimmed">
            {t('setup.priced')}
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={t('setup.inputPrice')}
            leftSection="$"
            inputMode="decimal"
            {...form.getInputProps('input')}
          />
          <TextInput
            label={t('setup.outputPrice')}
            leftSection="$"
            inputMode="decimal"
            {...form.getInputProps('output')}
          />
          <TextInput label={t('setup.group')} {...form.getInputProps('group')} />
          <NumberInput
            label={t('setup.maxOutput')}
            {...numberLimits(maxOutputTokens.kind)}
            allowDecimal={false}
            {...form.getInputProps('maxOutput')}
          />
        </SimpleGrid>
        <TestLine upstream={upstream.id} model={form.values.model} />
        <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-start' }}>
          {t('setup.addModel')}
        </Button>
      </Stack>
    </form>
  )
}

type StartModel = StartModelsAnswer['models'][number]

function valuesOf({ price, ...start }: StartModel) {
  return {
    input: plainDollars(price.inputNano),
    output: plainDollars(price.outputNano),
    maxOutput: start.maxOutputTokens,
  }
}

function requestOf(
  upstream: UpstreamDetail,
  values: { model: string; group: string; input: string; output: string; maxOutput: number },
  start: StartModel | undefined,
): SetupModelRequest {
  const input = writtenToWire(inputNano.kind, values.input) ?? '0'
  return {
    group: values.group,
    upstream: upstream.id,
    model: values.model,
    upstreamModel: values.model,
    displayName: start?.displayName ?? values.model,
    maxOutputTokens: values.maxOutput,
    price: {
      // Cache prices are known for models in the built-in list. For others the cache costs the same as input.
      cacheReadNano: start?.price.cacheReadNano ?? input,
      cacheWrite5mNano: start?.price.cacheWrite5mNano ?? input,
      cacheWrite1hNano: start?.price.cacheWrite1hNano ?? input,
      requestNano: start?.price.requestNano ?? '0',
      inputNano: input,
      outputNano: writtenToWire(outputNano.kind, values.output) ?? '0',
    },
  }
}

/** Sends a small request, so that a wrong credential is noticed here and not in the first real request. */
function TestLine({ upstream, model }: { upstream: string; model: string }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const problemText = useProblemText()
  const ask = useMutation({
    mutationFn: () =>
      call('POST /operate/upstreams/{id}/test', {
        params: { id: upstream },
        body: {
          model,
        },
      }),
  })
  const result = ask.data?.results[0]
  const testProblem = result?.problem && problemText(result.problem).join(' ')
  const problem = ask.error ? errorText(ask.error) : testProblem
  return (
    <Group gap="sm" align="center">
      <Button
        variant="default"
        size="xs"
        disabled={model === ''}
        loading={ask.isPending}
        onClick={() => ask.mutate()}
      >
        {t('setup.test')}
      </Button>
      {result?.hasPassed && (
        <Text size="sm" c="teal" role="status" style={{ flex: 1 }}>
          {t('setup.testPassed', { time: formatDuration(result.totalMs), text: result.text ?? '' })}
        </Text>
      )}
      {typeof problem === 'string' && (
        <Text size="sm" c="red" role="alert" style={{ flex: 1, overflowWrap: 'anywhere' }}>
          {t('setup.testFailed', { problem })}
        </Text>
      )}
    </Group>
  )
}
