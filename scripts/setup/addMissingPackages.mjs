const operatingSystems = /\b(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)/
const processors = /\b(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)\b/

/** The platform that a package is for, by its name: the registry that would know it does not have the package. */
function readPlatform(/** @type {string} */ name, /** @type {string[]} */ siblings) {
  const os = operatingSystems.exec(name)?.[1]
  const cpu = processors.exec(name)?.[1]
  if (!os && !cpu)
    throw new Error(
      `package-lock.json has no entry for the optional package ${name}, and its name does not say which platform it is for. Add the entry by hand, or run npm install where the registry has the package.`,
    )
  const libc = /musl/.test(name)
    ? 'musl'
    : /gnu/.test(name) || siblings.includes(`${name}-musl`)
      ? 'glibc'
      : ''
  return { cpu: cpu && [cpu], libc: os === 'linux' && libc ? [libc] : undefined, os: os && [os] }
}

/** Where Node would look for a package, from one that stands at `path`: the nearest place first. */
function* placesFor(/** @type {string} */ name, /** @type {string} */ path) {
  for (let at = path; at; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
    yield `${at}/node_modules/${name}`
  yield `node_modules/${name}`
}

/**
 * Adds an entry for every optional package that a lockfile's packages name and that it does not hold, and returns their
 * paths. npm leaves out what the registry at hand lacks, and npm 11 then refuses the file (`npm ci`); it asks of an
 * entry only that it is there, and looks at its platform before it downloads anything.
 * @param {{ packages: Record<string, any> }} lockfile
 */
export function addMissingPackages(lockfile) {
  const { packages } = lockfile
  const added = []
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [...placesFor(name, path)]
      const found = places.find((place) => packages[place])
      const isExact = /^\d/.test(version)
      if (found && (!isExact || packages[found].version === version)) continue
      if (!isExact)
        throw new Error(
          `package-lock.json has no entry for the optional package ${name}, of which ${path} takes ${version}. Run npm install where the registry has the package.`,
        )
      // Beside its package; where another version stands there, inside.
      const beside = path.slice(0, path.lastIndexOf('node_modules/')) + `node_modules/${name}`
      const place = packages[beside] ? `${path}/node_modules/${name}` : beside
      const { cpu, libc, os } = readPlatform(name, Object.keys(optionalDependencies))
      packages[place] = { version, cpu, dev, libc, optional: true, os }
      added.push(place)
    }
  }
  // In npm's order, so that its next write changes nothing.
  lockfile.packages = Object.fromEntries(
    Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  )
  return added
}
