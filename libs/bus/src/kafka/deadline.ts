/** A request that Kafka does not complete in time is an outage: the caller may try it again. */
import { Outage } from '@causeway/process'

/**
 * Settles as the work does, or rejects with that outage after the given time or when the process stops;
 * the work itself continues.
 */
export async function within<T>(
  work: Promise<T>,
  limit_ms: number,
  sentence: string,
  stopping?: AbortSignal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let onStop = (): void => undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Outage(`${sentence} within ${limit_ms} ms`)), limit_ms)
    onStop = () => reject(new Outage(`${sentence} before the process was stopped`))
  })
  stopping?.addEventListener('abort', onStop, { once: true })
  if (stopping?.aborted === true) onStop()
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    stopping?.removeEventListener('abort', onStop)
  }
}
