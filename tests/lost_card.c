/* A Vulkan driver that hands everything on to another one until the file LOST_WHEN is there: from then
 * on the card is gone. Whatever is asked of it ends with VK_ERROR_DEVICE_LOST, as after a reset by the
 * system or a pulled plug. Devices that have drawn into a window stay, unless LOST_WINDOWS is set.
 * With LOST_FULL the card has so many MB: what would not fit is answered with
 * VK_ERROR_OUT_OF_DEVICE_MEMORY. With LOST_HALF it knows no numbers of 16 bits.
 *
 * `tests/faults.py` and the suite build it and name it to the Vulkan loader; LOST_DRIVER is the library of the
 * driver behind it, such as Mesa's software adapter. The few declarations are those of the Vulkan
 * specification, so that no headers are needed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Any)(void);
typedef int32_t Result;
enum { OK = 0, FULL = -2, LOST = -4, MOST = 64, BLOCKS = 4096 };

static Any (*of_instance)(void *, const char *);
static Any (*of_physical)(void *, const char *);
static Result (*agree)(uint32_t *);
static Any (*of_device)(void *, const char *);

static void open_driver(void) {
    if (of_instance) return;
    void *driver = dlopen(getenv("LOST_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    if (!driver) return;
    agree = (Result (*)(uint32_t *))dlsym(driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
    of_physical = (Any (*)(void *, const char *))dlsym(driver, "vk_icdGetPhysicalDeviceProcAddr");
    of_instance = (Any (*)(void *, const char *))dlsym(driver, "vk_icdGetInstanceProcAddr");
}

/* Which device a queue belongs to, and which devices draw into windows. */
static struct { void *queue, *device; } queues[MOST];
static void *windows[MOST];

static void *device_of(void *queue) {
    for (int i = 0; i < MOST; i++)
        if (queues[i].queue == queue) return queues[i].device;
    return NULL;
}

static int is_lost(void *device) {
    const char *when = getenv("LOST_WHEN");
    if (!when || access(when, F_OK) != 0) return 0;
    for (int i = 0; i < MOST && !getenv("LOST_WINDOWS"); i++)
        if (windows[i] && windows[i] == device) return 0;
    return 1;
}

/* What is asked of the driver behind: its own function of this name. */
#define BEHIND(name, ...) static Result (*real_##name)(__VA_ARGS__);
BEHIND(vkQueueSubmit, void *, uint32_t, const void *, uint64_t)
BEHIND(vkQueueSubmit2, void *, uint32_t, const void *, uint64_t)
BEHIND(vkQueueWaitIdle, void *)
BEHIND(vkDeviceWaitIdle, void *)
BEHIND(vkWaitForFences, void *, uint32_t, const void *, uint32_t, uint64_t)
BEHIND(vkGetFenceStatus, void *, uint64_t)
BEHIND(vkWaitSemaphores, void *, const void *, uint64_t)
BEHIND(vkGetSemaphoreCounterValue, void *, uint64_t, uint64_t *)
BEHIND(vkQueuePresentKHR, void *, const void *)
static void (*real_vkGetDeviceQueue)(void *, uint32_t, uint32_t, void **);

static Result my_vkQueueSubmit(void *queue, uint32_t count, const void *work, uint64_t fence) {
    return is_lost(device_of(queue)) ? LOST : real_vkQueueSubmit(queue, count, work, fence);
}
static Result my_vkQueueSubmit2(void *queue, uint32_t count, const void *work, uint64_t fence) {
    return is_lost(device_of(queue)) ? LOST : real_vkQueueSubmit2(queue, count, work, fence);
}
/* What was begun comes to its end first: nothing may still use memory that is then given back. */
static Result my_vkQueueWaitIdle(void *queue) {
    Result ended = real_vkQueueWaitIdle(queue);
    return is_lost(device_of(queue)) ? LOST : ended;
}
static Result my_vkDeviceWaitIdle(void *device) {
    Result ended = real_vkDeviceWaitIdle(device);
    return is_lost(device) ? LOST : ended;
}
static Result my_vkWaitForFences(void *device, uint32_t count, const void *fences, uint32_t all, uint64_t time) {
    return is_lost(device) ? LOST : real_vkWaitForFences(device, count, fences, all, time);
}
static Result my_vkGetFenceStatus(void *device, uint64_t fence) {
    return is_lost(device) ? LOST : real_vkGetFenceStatus(device, fence);
}
static Result my_vkWaitSemaphores(void *device, const void *what, uint64_t time) {
    return is_lost(device) ? LOST : real_vkWaitSemaphores(device, what, time);
}
static Result my_vkGetSemaphoreCounterValue(void *device, uint64_t semaphore, uint64_t *value) {
    return is_lost(device) ? LOST : real_vkGetSemaphoreCounterValue(device, semaphore, value);
}
static Result my_vkQueuePresentKHR(void *queue, const void *what) {
    void *device = device_of(queue);
    for (int i = 0; i < MOST; i++) {
        if (windows[i] == device) break;
        if (!windows[i]) { windows[i] = device; break; }
    }
    return is_lost(device) ? LOST : real_vkQueuePresentKHR(queue, what);
}
static void my_vkGetDeviceQueue(void *device, uint32_t family, uint32_t index, void **queue) {
    real_vkGetDeviceQueue(device, family, index, queue);
    for (int i = 0; i < MOST; i++)
        if (!queues[i].queue || queues[i].queue == *queue) {
            queues[i].queue = *queue;
            queues[i].device = device;
            return;
        }
}

/* Memory: what was given out, until it comes back. */
struct Wanted { int32_t type; const void *next; uint64_t bytes; uint32_t kind; };
BEHIND(vkAllocateMemory, void *, const struct Wanted *, const void *, uint64_t *)
static void (*real_vkFreeMemory)(void *, uint64_t, const void *);
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static struct { uint64_t memory, bytes; } blocks[BLOCKS];

static Result my_vkAllocateMemory(void *device, const struct Wanted *wanted, const void *by, uint64_t *memory) {
    const char *most = getenv("LOST_FULL");
    if (!most) return real_vkAllocateMemory(device, wanted, by, memory);
    pthread_mutex_lock(&counting);
    uint64_t sum = wanted->bytes;
    for (int i = 0; i < BLOCKS; i++) sum += blocks[i].bytes;
    Result ended = FULL;
    if (sum <= strtoull(most, NULL, 10) << 20) ended = real_vkAllocateMemory(device, wanted, by, memory);
    for (int i = 0; i < BLOCKS && ended == OK; i++)
        if (!blocks[i].bytes) {
            blocks[i].memory = *memory;
            blocks[i].bytes = wanted->bytes;
            break;
        }
    pthread_mutex_unlock(&counting);
    return ended;
}
static void my_vkFreeMemory(void *device, uint64_t memory, const void *by) {
    pthread_mutex_lock(&counting);
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes && blocks[i].memory == memory) {
            blocks[i].bytes = 0;
            break;
        }
    pthread_mutex_unlock(&counting);
    real_vkFreeMemory(device, memory, by);
}

/* What a card can do: a list of structures, each a kind and a row of yes and no. */
struct Can { int32_t kind; struct Can *next; uint32_t yes[]; };
/* Numbers of 16 bits: computed with, and kept in four ways; by extensions, and as parts of newer versions. */
enum { CAN_COMPUTE = 1000082000, CAN_KEEP = 1000083000, CAN_1_1 = 49, CAN_1_2 = 51, AMONG_1_2 = 7, WAYS_TO_KEEP = 4 };
static void (*real_vkGetPhysicalDeviceFeatures2)(void *, struct Can *);

static void my_vkGetPhysicalDeviceFeatures2(void *card, struct Can *can) {
    real_vkGetPhysicalDeviceFeatures2(card, can);
    for (struct Can *each = can->next; getenv("LOST_HALF") && each; each = each->next) {
        if (each->kind == CAN_COMPUTE) each->yes[0] = 0;
        if (each->kind == CAN_1_2) each->yes[AMONG_1_2] = 0;
        if (each->kind == CAN_KEEP || each->kind == CAN_1_1) memset(each->yes, 0, WAYS_TO_KEEP * sizeof *each->yes);
    }
}

/* Puts itself in place of one function. */
#define TAKE(function, as)                                       \
    if (found && strcmp(name, as) == 0) {                        \
        *(Any *)&real_##function = found;                        \
        return (Any)my_##function;                               \
    }

static Any instead(const char *name, Any found) {
    TAKE(vkQueueSubmit, "vkQueueSubmit")
    TAKE(vkQueueSubmit2, "vkQueueSubmit2")
    TAKE(vkQueueSubmit2, "vkQueueSubmit2KHR")
    TAKE(vkQueueWaitIdle, "vkQueueWaitIdle")
    TAKE(vkDeviceWaitIdle, "vkDeviceWaitIdle")
    TAKE(vkWaitForFences, "vkWaitForFences")
    TAKE(vkGetFenceStatus, "vkGetFenceStatus")
    TAKE(vkWaitSemaphores, "vkWaitSemaphores")
    TAKE(vkWaitSemaphores, "vkWaitSemaphoresKHR")
    TAKE(vkGetSemaphoreCounterValue, "vkGetSemaphoreCounterValue")
    TAKE(vkGetSemaphoreCounterValue, "vkGetSemaphoreCounterValueKHR")
    TAKE(vkQueuePresentKHR, "vkQueuePresentKHR")
    TAKE(vkGetDeviceQueue, "vkGetDeviceQueue")
    TAKE(vkGetPhysicalDeviceFeatures2, "vkGetPhysicalDeviceFeatures2")
    TAKE(vkGetPhysicalDeviceFeatures2, "vkGetPhysicalDeviceFeatures2KHR")
    TAKE(vkAllocateMemory, "vkAllocateMemory")
    TAKE(vkFreeMemory, "vkFreeMemory")
    return found;
}

static Any device_function(void *device, const char *name) {
    return instead(name, of_device(device, name));
}

Result vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    open_driver();
    return agree ? agree(version) : LOST;
}

Any vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
    open_driver();
    return of_physical ? instead(name, of_physical(instance, name)) : NULL;
}

Any vk_icdGetInstanceProcAddr(void *instance, const char *name) {
    open_driver();
    Any found = of_instance ? of_instance(instance, name) : NULL;
    if (found && strcmp(name, "vkGetDeviceProcAddr") == 0) {
        *(Any *)&of_device = found;
        return (Any)device_function;
    }
    return instead(name, found);
}
