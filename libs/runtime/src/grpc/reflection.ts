/** gRPC reflection of what the server serves, so that tools can call it without the .proto files. */
import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { methodsOf, nameOf } from './definition.ts'

export interface Reflection {
  add(service: object): void
}

type Served = ConstructorParameters<typeof ReflectionService>[0]

/**
 * The library describes what it was given when it was made, whereas services are added one by one: so
 * it is made anew for each, and takes the place of the one before.
 */
export function openReflection(server: Server): Reflection {
  const served: Served = {}
  const replacing = {
    addService(service: ServiceDefinition, implementation: UntypedServiceImplementation) {
      server.removeService(service)
      server.addService(service, implementation)
    },
  }
  return {
    add(service) {
      const name = nameOf(service)
      for (const [index, { requestType }] of [...methodsOf(service).values()].entries())
        served[`${name}.${index}`] = requestType as Served[string]
      new ReflectionService(served).addToServer(replacing)
    },
  }
}
