/**
 * gRPC reflection of what the server serves, so that tools can call it without the .proto files.
 */
import type {
  handleBidiStreamingCall,
  Server,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { methodsOf, nameOf } from './definition.ts'

export interface Reflection {
  add(service: object): void
}

type Described = ConstructorParameters<typeof ReflectionService>[0]
type ReflectionHandler = handleBidiStreamingCall<object, object>

/**
 * The library describes the services that exist when it is created, but services are added one by one and
 * reflection is seldom used. So the description is created again at the first request after a service
 * was added.
 */
export function openReflection(server: Server): Reflection {
  const described: Described = {}
  let current: ReadonlyMap<string, ReflectionHandler> | undefined
  reflect({}, (definition) => {
    const answer: ReflectionHandler = (stream) => {
      current ??= answersFor(described)
      current.get(nameOf(definition))?.(stream)
    }
    server.addService(definition, { ServerReflectionInfo: answer })
  })
  return {
    add(service) {
      const name = nameOf(service)
      for (const [index, { requestType }] of [...methodsOf(service).values()].entries())
        described[`${name}.${index}`] = requestType as Described[string]
      current = undefined
    },
  }
}

/**
 * By the name of the reflection service: the library has one for each version of the protocol.
 */
function answersFor(described: Described): ReadonlyMap<string, ReflectionHandler> {
  const answers = new Map<string, ReflectionHandler>()
  reflect(described, (definition, implementation) => {
    answers.set(nameOf(definition), implementation['ServerReflectionInfo'] as ReflectionHandler)
  })
  return answers
}

function reflect(
  described: Described,
  add: (definition: ServiceDefinition, implementation: UntypedServiceImplementation) => void,
): void {
  new ReflectionService(described).addToServer({ addService: add })
}
